internal import CCurl
internal import Glibc
internal import Queueing
internal import Supporting

/// A connection to a server over libcurl, logged in and with our scripts loaded. Only one thread
/// may use it at a time.
@safe struct RedisConnection: ~Copyable {
  private let easy: UnsafeMutableRawPointer
  private let descriptor: Int32
  private let server: RedisServer
  private let replyTimeout: Duration
  private let reader: RESPReader
  private var piece = [UInt8](repeating: 0, count: 65_536)
  private var digests: [ObjectIdentifier: String] = [:]

  /// See `RedisStore` for the parameters.
  static func open(
    _ server: RedisServer, trusting trust: RedisTrust, replyTimeout: Duration
  ) throws(QueueError) -> RedisConnection {
    let password = try server.currentPassword
    var connection = try RedisConnection(server, trust, replyTimeout)
    try connection.logIn(password)
    return connection
  }

  private init(
    _ server: RedisServer, _ trust: RedisTrust, _ replyTimeout: Duration
  ) throws(QueueError) {
    let reader = try RESPReader(for: server)
    guard let easy = unsafe curl_easy_init() else { throw .noMemory(for: server) }
    let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    defer { unsafe detail.deallocate() }
    // libcurl needs an HTTP URL. With CONNECT_ONLY it sends nothing of its own.
    let url = "\(server.isSecure ? "https" : "http")://\(server.host.bracketingIPv6):\(server.port)"
    unsafe curl_set_string(easy, CURLOPT_URL, url)
    // The timeout covers name lookup, connection and TLS together.
    for (option, value) in [
      (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_CONNECTTIMEOUT_MS, 5_000), (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_QUICK_EXIT, 1), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_SSL_ENABLE_ALPN, 0),
    ] { unsafe curl_set_long(easy, option, value) }
    // A proxy in the environment is for HTTP only.
    unsafe curl_set_string(easy, CURLOPT_PROXY, "")
    unsafe curl_set_pointer(easy, CURLOPT_ERRORBUFFER, detail)
    let code = unsafe trust.perform(easy)
    unsafe curl_set_pointer(easy, CURLOPT_ERRORBUFFER, nil)
    var descriptor: Int32 = -1
    guard code == CURLE_OK, unsafe curl_get_socket(easy, &descriptor) == CURLE_OK, descriptor >= 0 else {
      var kernel = 0
      unsafe curl_get_long(easy, CURLINFO_OS_ERRNO, &kernel)
      unsafe curl_easy_cleanup(easy)
      let text = code == CURLE_ABORTED_BY_CALLBACK ? trust.file ?? "" : unsafe String(cString: detail)
      throw QueueError(connecting: code, kernel: kernel, detail: text, server)
    }
    unsafe self.easy = unsafe easy
    (self.descriptor, self.server, self.replyTimeout) = (descriptor, server, replyTimeout)
    self.reader = reader
  }

  deinit { unsafe curl_easy_cleanup(easy) }

  /// Logs in, selects the database, and loads our scripts.
  private mutating func logIn(_ password: String?) throws(QueueError) {
    if let password {
      _ = try say([RedisCommand(words: ["AUTH"] + (server.user.map { [$0] } ?? []) + [password])])
    }
    if server.database > 0 { _ = try say([RedisCommand("SELECT", "\(server.database)")]) }
    let answers = try say(RedisScript.all.map { RedisCommand("SCRIPT", "LOAD", $0.text) })
    for (script, answer) in zip(RedisScript.all, answers) { digests[ObjectIdentifier(script)] = answer.text }
  }

  /// Sends commands that must succeed.
  private mutating func say(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    var failure: QueueError?
    do throws(QueueError) {
      try roundTrip(commands, digests: [:], into: &replies)
    } catch {
      // A server that refuses a new connection sends the reason before closing it.
      _ = try? receive(into: &replies)
      failure = error
    }
    if let error = replies.firstError { throw QueueError(redis: error, server) }
    if let failure { throw failure }
    return replies
  }

  /// Whether the server has sent nothing since the last reply, and has not closed the connection.
  mutating func isAlive() -> Bool {
    var count = 0
    return unsafe curl_easy_recv(easy, &piece, piece.count, &count) == CURLE_AGAIN
  }

  /// Returns the reply to each command. Some may be errors.
  /// - Throws: if the connection can no longer be used.
  mutating func ask(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    try roundTrip(commands, digests: digests, into: &replies)
    // The scripts were flushed. Redis loads them again if they are sent as text.
    let unknown = replies.indices.filter { replies[$0].error?.hasPrefix("NOSCRIPT") == true }
    guard !unknown.isEmpty else { return replies }
    var again: [RedisReply] = []
    try roundTrip(unknown.map { commands[$0] }, digests: [:], into: &again)
    for (index, reply) in zip(unknown, again) { replies[index] = reply }
    return replies
  }

  private mutating func roundTrip(
    _ commands: [RedisCommand], digests: [ObjectIdentifier: String], into replies: inout [RedisReply]
  ) throws(QueueError) {
    var bytes: [UInt8] = []
    // Growing would briefly keep a second copy beside the commands, and messages may be long.
    bytes.reserveCapacity(commands.reduce(0) { $0 + $1.size })
    for command in commands { command.write(to: &bytes, digests: digests) }
    var sent = 0
    while replies.count < commands.count {
      // Sends and receives in turn: a server that cannot send its replies stops reading.
      let newlySent = sent < bytes.count ? try send(bytes[sent...]) : 0
      sent += newlySent
      if try !receive(into: &replies), newlySent == 0 { try wait(toSend: sent < bytes.count) }
    }
    guard replies.count == commands.count else { throw .noRedis(at: server) }
  }

  /// Returns how many bytes could be sent without waiting.
  private func send(_ bytes: ArraySlice<UInt8>) throws(QueueError) -> Int {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes { unsafe curl_easy_send(easy, $0.baseAddress, $0.count, &count) }
    guard code == CURLE_OK || code == CURLE_AGAIN else { throw brokenOff }
    return count
  }

  /// Appends the replies that have arrived. Returns whether any bytes arrived.
  private mutating func receive(into replies: inout [RedisReply]) throws(QueueError) -> Bool {
    var count = 0
    let code = unsafe curl_easy_recv(easy, &piece, piece.count, &count)
    if code == CURLE_AGAIN { return false }
    guard code == CURLE_OK, count > 0 else { throw brokenOff }
    try reader.read(piece, count: count, into: &replies)
    return true
  }

  private func wait(toSend: Bool) throws(QueueError) {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN | (toSend ? POLLOUT : 0)), revents: 0)
    let milliseconds = Int32(clamping: replyTimeout.milliseconds)
    guard unsafe poll(&interest, 1, milliseconds) == 0 else { return }
    let seconds = milliseconds / 1_000
    throw server.unavailable("has not answered for \(seconds) s: see whether it is stopped or overloaded")
  }

  private var brokenOff: QueueError { server.unavailable("has closed the connection: see its log") }
}
