internal import CCurl
internal import Supporting

extension Hop {
  /// What libcurl says of it once it is over.
  /// - Parameters:
  ///   - start: when it began, its lookup included.
  ///   - begun: when libcurl got it, which counts from there.
  mutating func note(
    _ easy: borrowing EasyHandle, since start: ContinuousClock.Instant, begun: ContinuousClock.Instant
  ) {
    let before = start.duration(to: begun).microseconds
    if let address = easy.string(CURLINFO_PRIMARY_IP), !address.isEmpty {
      self.address = "\(address.bracketingIPv6):\(easy.long(CURLINFO_PRIMARY_PORT))"
    }
    timings.connect = reached(CURLINFO_CONNECT_TIME_T, easy, before)
    timings.tls = reached(CURLINFO_APPCONNECT_TIME_T, easy, before)
    timings.firstByte = reached(CURLINFO_STARTTRANSFER_TIME_T, easy, before)
    timings.total = start.duration(to: .now).microseconds
  }

  /// Microseconds; nil for what was not reached.
  private func reached(_ info: CURLINFO, _ easy: borrowing EasyHandle, _ before: Int) -> Int? {
    let time = easy.number(info)
    return time > 0 ? before + time : nil
  }
}
