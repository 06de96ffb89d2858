internal import CCurl
internal import Fetching
internal import Glibc
internal import Storing
internal import Supporting

/// The objects that all transfers share. They belong to the thread of the exchanges.
final class TransferContext {
  let connections: Connections
  let idleTime: Duration
  private let certificateFile: String?
  private var known: TrustStore?

  init(_ connections: Connections, certificateFile: String?, idleTime: Duration) {
    (self.connections, self.certificateFile, self.idleTime) = (connections, certificateFile, idleTime)
  }

  /// The trust store of all connections. Separate ones would take 0.8 MB each if the system's authorities
  /// are in one file.
  func trust() throws(FetchError) -> TrustStore {
    if let known { return known }
    let new = try TrustStore(CertificateAuthorities(adding: certificateFile))
    known = new
    return new
  }

  /// See `TrustStore.renewed`.
  func renewTrust(after code: CURLcode) { known = known?.renewed(after: code) ?? known }
}

/// An exchange that libcurl works on. libcurl calls it on the thread of the exchanges.
@safe final class Transfer {
  /// How long opening a connection may take, including the lookup of the name and TLS.
  static let connectTime = Duration.seconds(5)

  let exchange: Exchange
  /// A handle makes one request: libcurl 7.88.1 uses freed headers if a second one is answered with a folded
  /// line (curl issue 11101).
  let easy: EasyHandle
  private let connections: Connections
  private let trust: TrustStore?
  /// Bytes of the request's body that libcurl has taken.
  private var sent = 0
  private(set) var answer: AnswerReader
  private var failure: HTTPFailure?
  /// Why no socket could be opened for one of the server's addresses. Another address may be as good.
  var noSocket: FetchError?
  private var opened: [Connection] = []
  private var connection: Connection?

  private var request: HTTPRequest { exchange.request }
  private var url: ServiceURL { exchange.request.url }

  init(_ exchange: Exchange, in context: TransferContext) throws(FetchError) {
    self.exchange = exchange
    connections = context.connections
    trust = exchange.request.url.isSecure ? try context.trust() : nil
    answer = AnswerReader(from: exchange.request.url)
    var easy = try EasyHandle(sharesAddresses: true)
    try easy.apply(exchange.request, idleTime: context.idleTime)
    self.easy = easy
    try setCallbacks()
    exchange.enter(.lookingUp)
  }

  /// - Parameter code: as libcurl reports it at the end.
  func result(_ code: CURLcode) -> Result<HTTPAnswer, HTTPFailure> {
    connection?.complete(bytes: 0)
    if let failure { return .failure(failure) }
    guard code == CURLE_OK else { return .failure(self.failure(code)) }
    // libcurl accepts an answer that ends in the middle of its head.
    guard answer.hasHead else { return .failure(.cut(url, "closed the connection \(place)")) }
    return .success(answer.answer)
  }

  // MARK: - Callbacks

  func open(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    exchange.enter(.connecting)
    let type = unsafe wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(wanted.pointee.family, type, wanted.pointee.protocol)
    if descriptor >= 0 {
      opened.append(connections.add(descriptor))
      return descriptor
    }
    switch errno {
    case EMFILE, ENFILE: noSocket = .openFilesExhausted
    case ENOBUFS, ENOMEM: noSocket = .resourcesExhausted(detail: String(errno: errno))
    default: break
    }
    connections.failToOpen()
    return CURL_SOCKET_BAD
  }

  func trust(in context: UnsafeMutableRawPointer?) -> CURLcode {
    exchange.enter(.securing)
    return unsafe trust?.use(in: context, record: 4_096) ?? CURLE_ABORTED_BY_CALLBACK
  }

  /// Called before the request, and again if libcurl sends it again on another connection.
  func prepareRequest() {
    exchange.enter(request.body.count > 0 ? .sending : .sent)
    answer = AnswerReader(from: url)
    if let ends = easy.ends {
      connection = connections.find(ends, among: opened)
      connection?.begin(between: ends, isHTTP2: false, isPending: false)
    }
    opened = []
  }

  /// Returns how many bytes of the request's body were put into `room`; nil if it cannot be read.
  func read(into room: UnsafeMutableRawBufferPointer) -> Int? {
    let count = min(room.count, request.body.count - sent)
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<count])
    switch request.body {
    case .none: break
    case .bytes(let bytes): unsafe part.copyBytes(from: bytes[sent..<sent + count])
    case .file(let file):
      var done = 0
      while done < count {
        var rest = unsafe MutableSpan<UInt8>(
          _unsafeElements: UnsafeMutableRawBufferPointer(rebasing: part[done...]).bindMemory(to: UInt8.self))
        let read = file.read(at: sent + done, into: &rest)
        guard read > 0 else {
          failure = .spoolUnreadable
          return nil
        }
        done += read
      }
    }
    sent += count
    if sent == request.body.count { exchange.enter(.sent) }
    return count
  }

  func seek(to offset: Int) -> Bool {
    guard 0...request.body.count ~= offset else { return false }
    sent = offset
    return true
  }

  func take(line: Span<UInt8>) -> Bool {
    exchange.enter(.receiving)
    do throws(HTTPFailure) {
      try answer.take(line: line)
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }

  func take(piece: Span<UInt8>) {
    exchange.enter(.receiving)
    answer.take(piece: piece)
  }
}
