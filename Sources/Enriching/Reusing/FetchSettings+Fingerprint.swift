internal import Fetching
internal import Supporting

extension FetchSettings {
  /// A hash of the settings that decide what may be fetched, and from which servers: what was fetched under
  /// others is fetched again.
  var policyFingerprint: UInt64 {
    let words: [String] =
      [
        // The version of the request itself, and of the rules that no setting changes.
        "2", "\(allowsHTTP)", "\(allowsDowngrade)", "\(maximumRedirects)", certificateFile ?? "",
        nameServers ?? "",
      ] + allowedPorts.sorted().map { "\($0)" } + addresses.allowed.map { "\($0)" }.sorted()
      + addresses.denied.map { "not \($0)" }.sorted()
    // No digest: only the operator chooses the settings.
    return FNV1a.hash(words.joined(separator: "\n").utf8.span)
  }
}
