internal import CAres

/// What is known of a host so far: two questions, A and AAAA, make one answer.
final class Lookup {
  /// How long the second family may take once the first has answered (RFC 8305 section 3, which has 50 ms for one device).
  private static let resolutionDelay = Duration.milliseconds(300)

  private let host: String
  private var completion: Resolver.Completion?
  private var open = 2
  private var addresses: [IPAddress] = []
  private var failure: Int32 = ARES_ENOTFOUND
  private var firstAnswer: ContinuousClock.Instant?

  init(host: String, completion: @escaping Resolver.Completion) {
    self.host = host
    self.completion = completion
  }

  var isHalfAnswered: Bool { completion != nil && firstAnswer != nil }

  /// How much longer the other family is waited for.
  var patience: Duration? { firstAnswer.map { $0 + Self.resolutionDelay - .now } }

  func answer(status: Int32, addresses new: [IPAddress]) {
    open -= 1
    addresses += new
    // "There is none" for one family says less than a server that failed for the other.
    if ![ARES_SUCCESS, ARES_ENODATA, ARES_ENOTFOUND].contains(status) { failure = status }
    if open == 0 {
      complete()
    } else if !new.isEmpty {
      firstAnswer = .now
    }
  }

  func complete() {
    guard let completion else { return }
    self.completion = nil
    if addresses.isEmpty {
      let detail = unsafe String(cString: ares_strerror(failure))
      let isFinal = [ARES_ENOTFOUND, ARES_EBADNAME, ARES_ENONAME].contains(failure)
      completion(.failure(.dnsFailed(host: host, detail: detail, isTransient: !isFinal)))
    } else {
      completion(.success(addresses))
    }
  }
}
