internal import Supporting
internal import Synchronization

/// One request and its answer.
final class Exchange: Sendable {
  /// How far the exchange has come, for the error if it takes too long.
  enum Phase: UInt8, AtomicRepresentable {
    /// The thread of the exchanges has not seen it.
    case new
    case waiting, lookingUp, connecting, securing, sending, sent, receiving
  }

  let request: HTTPRequest
  let ending = Waiter<Result<HTTPAnswer, HTTPFailure>>()
  private let reached = Atomic(Phase.new)
  private let ended = Atomic(false)

  init(_ request: HTTPRequest) { self.request = request }

  var phase: Phase { reached.load(ordering: .relaxed) }
  var hasEnded: Bool { ended.load(ordering: .relaxed) }

  /// Only the first call counts.
  func end(_ result: Result<HTTPAnswer, HTTPFailure>) {
    ended.store(true, ordering: .relaxed)
    ending.resume(returning: result)
  }

  func enter(_ phase: Phase) { reached.store(phase, ordering: .relaxed) }

  /// The error if it takes longer than `limit`.
  func lateness(_ limit: Duration) -> HTTPFailure { .late(request.url, limit, phase) }
}

extension HTTPFailure {
  static func late(_ url: ServiceURL, _ limit: Duration, _ phase: Exchange.Phase) -> Self {
    let milliseconds = limit.milliseconds
    let time = milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    let late = "\(url.authority) did not answer within \(time)"
    let problem =
      switch phase {
      case .new: "no request to \(url.authority) was begun within \(time)"
      case .waiting: "\(late) (all connections to it were busy)"
      case .lookingUp: "the name \(url.host) was not looked up within \(time)"
      case .connecting: "\(url.authority) did not accept a connection within \(time)"
      case .securing: "\(url.authority) accepted a connection, but TLS was not ready within \(time)"
      case .sending: "\(late) (it had not taken the whole request)"
      case .sent: "\(late) (it had the whole request)"
      case .receiving: "\(late) (it had begun to answer)"
      }
    let advice =
      switch phase {
      case .new: "check the disk of --spool, which may hang, and the load of this machine"
      case .lookingUp: "check this machine's name servers"
      default: "check the service, and the network to it"
      }
    return HTTPFailure(problem: problem, advice: advice, mayTryAgain: true)
  }
}

extension HTTPRequest {
  /// - Throws: an error if libcurl would send something other than this request.
  func check() throws(HTTPFailure) {
    func refuse(_ problem: String, _ advice: String) throws(HTTPFailure) {
      throw HTTPFailure(problem: problem, advice: advice, mayTryAgain: false)
    }
    if !url.host.isWord, IPAddress(url.host) == nil {
      try refuse(
        "'\(url.host.printable)' is not the name or address of a host", "check the URLs of the services")
    }
    guard 1...65_535 ~= url.port, url.target.hasPrefix("/"), method.isWord,
      url.target.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else {
      return try refuse(
        "a request to \(url.authority) has a port, method or path that cannot be sent",
        "check the URLs of the services")
    }
    for field in headers where !field.name.isWord || !field.value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
      try refuse(
        "the value of \(field.name.printable) for \(url.authority) has characters that cannot be sent",
        "check for a line break at the end of a key or token")
    }
  }
}

extension String {
  fileprivate var isWord: Bool { !isEmpty && utf8.allSatisfy(\.isUnreserved) }
}
