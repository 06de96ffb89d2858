internal import CCurl
internal import Supporting

extension Hop {
  /// What libcurl says of it once it is over.
  /// - Parameter start: when it began, its lookup included.
  mutating func note(_ easy: borrowing EasyHandle, since start: ContinuousClock.Instant) {
    if let address = easy.string(CURLINFO_PRIMARY_IP), !address.isEmpty {
      self.address = "\(address.bracketingIPv6):\(easy.long(CURLINFO_PRIMARY_PORT))"
    }
    timings.connect = reached(CURLINFO_CONNECT_TIME_T, easy)
    timings.tls = reached(CURLINFO_APPCONNECT_TIME_T, easy)
    timings.firstByte = reached(CURLINFO_STARTTRANSFER_TIME_T, easy)
    timings.total = start.duration(to: .now).microseconds
  }

  /// Microseconds; nil for what was not reached. libcurl counts from the end of the lookup.
  private func reached(_ info: CURLINFO, _ easy: borrowing EasyHandle) -> Int? {
    let time = easy.number(info)
    return time > 0 ? (timings.dns ?? 0) + time : nil
  }
}
