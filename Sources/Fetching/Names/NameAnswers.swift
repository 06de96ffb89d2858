internal import CAres
internal import Supporting

/// What is known about a host so far. Two questions, A and AAAA, make up one answer.
final class NameAnswers {
  private let host: String
  private var open = 2
  private var addresses: [IPAddress] = []
  private var lifetime: Duration?
  private var failure: Int32?
  /// The error if there is no address, and no server has failed. A name without addresses may exist.
  private var absence = ARES_ENOTFOUND
  /// When to make do with one family's addresses; nil if there are none, or if both have answered.
  private(set) var end: ContinuousClock.Instant?

  init(host: String) { self.host = host }

  func answer(
    status: Int32, addresses new: [IPAddress], lifetime: Duration?, at now: ContinuousClock.Instant
  ) {
    open -= 1
    addresses += new
    if let lifetime { self.lifetime = min(lifetime, self.lifetime ?? lifetime) }
    if status == ARES_ENODATA { absence = status }
    // If one family has no address and the server failed for the other, the failure says more.
    if ![ARES_SUCCESS, ARES_ENODATA, ARES_ENOTFOUND].contains(status) { failure = status }
    // RFC 8305 section 3 gives the second family 50 ms, but it is about a single device.
    end = open == 0 || addresses.isEmpty ? nil : now + .milliseconds(300)
  }

  func outcome(at now: ContinuousClock.Instant) -> Result<HostAddresses, FetchError>? {
    guard open == 0 || end.map({ $0 <= now }) == true else { return nil }
    guard addresses.isEmpty else {
      // If one family is missing, the answer is used only once.
      let isWhole = open == 0 && failure == nil
      return .success(HostAddresses(addresses: addresses, lifetime: isWhole ? lifetime ?? .zero : .zero))
    }
    let code = failure ?? absence
    let isFinal = [ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME, ARES_ENONAME].contains(code)
    let detail = unsafe String(cString: ares_strerror(code))
    return .failure(.dnsFailed(host: host, detail: detail, isTransient: !isFinal))
  }
}
