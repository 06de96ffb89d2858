internal import CCurl
internal import Glibc
internal import Queueing
internal import Supporting

/// A connection to a server, with TLS or without. libcurl makes it, and carries bytes over it. Used by one thread at
/// a time.
@safe struct RedisSocket: ~Copyable {
  private let easy: UnsafeMutableRawPointer
  private let descriptor: Int32
  private let server: RedisServer
  private let reader: RESPReader
  private var piece = [UInt8](repeating: 0, count: 65_536)

  /// Connects, which blocks.
  /// - Parameter certificateFile: certificate authorities, PEM, beside the system's.
  init(_ server: RedisServer, certificateFile: String?) throws(QueueError) {
    let reader = try RESPReader(for: server)
    guard let easy = unsafe curl_easy_init() else { throw .noMemory(for: server) }
    let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    defer { unsafe detail.deallocate() }
    unsafe Self.apply(to: easy, server, certificateFile: certificateFile)
    unsafe curl_set_pointer(easy, CURLOPT_ERRORBUFFER, detail)
    let code = unsafe curl_easy_perform(easy)
    unsafe curl_set_pointer(easy, CURLOPT_ERRORBUFFER, nil)
    var descriptor: Int32 = -1
    guard code == CURLE_OK, unsafe curl_get_socket(easy, &descriptor) == CURLE_OK, descriptor >= 0 else {
      var kernel = 0
      unsafe curl_get_long(easy, CURLINFO_OS_ERRNO, &kernel)
      unsafe curl_easy_cleanup(easy)
      throw QueueError(connecting: code, kernel: kernel, detail: unsafe String(cString: detail), server)
    }
    unsafe self.easy = unsafe easy
    self.descriptor = descriptor
    self.server = server
    self.reader = reader
  }

  deinit { unsafe curl_easy_cleanup(easy) }

  private static func apply(
    to easy: UnsafeMutableRawPointer, _ server: RedisServer, certificateFile: String?
  ) {
    // libcurl wants a URL of HTTP; with CONNECT_ONLY it sends nothing of its own.
    let url = "\(server.isSecure ? "https" : "http")://\(server.host.bracketingIPv6):\(server.port)"
    unsafe curl_set_string(easy, CURLOPT_URL, url)
    // The timeout is for name lookup, connection and TLS together.
    for (option, value) in [
      (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_CONNECTTIMEOUT_MS, 5_000), (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_QUICK_EXIT, 1), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_SSL_ENABLE_ALPN, 0),
    ] { unsafe curl_set_long(easy, option, value) }
    // The proxy of the environment is for HTTP.
    unsafe curl_set_string(easy, CURLOPT_PROXY, "")
    if let file = certificateFile { unsafe curl_set_string(easy, CURLOPT_CAINFO, file) }
  }

  /// Whether nothing has arrived since the last reply, and the connection is open.
  mutating func isQuiet() -> Bool {
    var count = 0
    return unsafe curl_easy_recv(easy, &piece, piece.count, &count) == CURLE_AGAIN
  }

  /// Sends some of `bytes` from `start` on; does not wait.
  /// - Returns: how many.
  func send(_ bytes: [UInt8], from start: Int) throws(QueueError) -> Int {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      return unsafe curl_easy_send(easy, rest.baseAddress, rest.count, &count)
    }
    guard code == CURLE_OK || code == CURLE_AGAIN else { throw brokenOff }
    return count
  }

  /// Appends the replies that have arrived; does not wait.
  /// - Returns: whether any bytes have.
  mutating func receive(into replies: inout [RedisReply]) throws(QueueError) -> Bool {
    var count = 0
    let code = unsafe curl_easy_recv(easy, &piece, piece.count, &count)
    if code == CURLE_AGAIN { return false }
    guard code == CURLE_OK, count > 0 else { throw brokenOff }
    try reader.read(piece, count: count, into: &replies)
    return true
  }

  /// Waits until something has arrived or, with `toSend`, can be sent.
  func wait(toSend: Bool, milliseconds: Int32) throws(QueueError) {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN | (toSend ? POLLOUT : 0)), revents: 0)
    guard unsafe poll(&interest, 1, milliseconds) == 0 else { return }
    throw .unavailable(
      "\(server.name) has not answered for \(milliseconds / 1_000) s: see whether it is stopped or overloaded"
    )
  }

  private var brokenOff: QueueError {
    .unavailable("\(server.name) has broken off the connection: see its log")
  }
}
