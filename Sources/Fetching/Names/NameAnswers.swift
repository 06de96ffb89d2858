internal import CAres
internal import Supporting

/// What is known of a host so far: two questions, A and AAAA, make one answer.
final class NameAnswers {
  private let host: String
  private var open = 2
  private var addresses: [IPAddress] = []
  private var lifetime: Duration?
  private var failure: Int32?
  /// When the addresses of one family have to do; nil while there are none, and once both have answered.
  private(set) var end: ContinuousClock.Instant?

  init(host: String) { self.host = host }

  func answer(
    status: Int32, addresses new: [IPAddress], lifetime: Duration?, at now: ContinuousClock.Instant
  ) {
    open -= 1
    addresses += new
    if let lifetime { self.lifetime = min(lifetime, self.lifetime ?? lifetime) }
    // That one family has no address says less than a server that failed for the other.
    if ![ARES_SUCCESS, ARES_ENODATA, ARES_ENOTFOUND].contains(status) { failure = status }
    // RFC 8305 section 3 gives the second family 50 ms, for one device.
    end = open == 0 || addresses.isEmpty ? nil : now + .milliseconds(300)
  }

  func outcome(at now: ContinuousClock.Instant) -> Result<HostAddresses, FetchError>? {
    guard open == 0 || end.map({ $0 <= now }) == true else { return nil }
    guard addresses.isEmpty else {
      // With one family missing, the answer is used this once only.
      let isWhole = open == 0 && failure == nil
      return .success(HostAddresses(addresses: addresses, lifetime: isWhole ? lifetime ?? .zero : .zero))
    }
    let code = failure ?? ARES_ENOTFOUND
    let isFinal = [ARES_ENOTFOUND, ARES_EBADNAME, ARES_ENONAME].contains(code)
    let detail = unsafe String(cString: ares_strerror(code))
    return .failure(.dnsFailed(host: host, detail: detail, isTransient: !isFinal))
  }
}
