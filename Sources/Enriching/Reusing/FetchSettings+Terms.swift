internal import Fetching

extension FetchSettings {
  /// Stands for all that decides on what may be fetched and from whom: what was fetched under other terms is fetched again.
  var terms: UInt64 {
    let words: [String] =
      [
        // Of the request itself: a version that asks otherwise gets something else.
        "1", "\(allowsHTTP)", "\(maximumRedirects)", certificateFile ?? "", nameServers ?? "",
      ] + allowedPorts.sorted().map { "\($0)" } + addresses.allowed.map { "\($0)" }.sorted()
    // FNV-1a: nobody but the operator chooses them.
    return words.joined(separator: "\n").utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }
}
