internal import Fetching

extension FetchSettings {
  /// A hash of the settings that decide what may be fetched, and from which servers: what was fetched under
  /// others is fetched again.
  var policyFingerprint: UInt64 {
    let words: [String] =
      [
        // The version of the request itself: another request may get something else.
        "1", "\(allowsHTTP)", "\(maximumRedirects)", certificateFile ?? "", nameServers ?? "",
      ] + allowedPorts.sorted().map { "\($0)" } + addresses.allowed.map { "\($0)" }.sorted()
    // FNV-1a is enough: only the operator chooses the settings.
    return words.joined(separator: "\n").utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }
}
