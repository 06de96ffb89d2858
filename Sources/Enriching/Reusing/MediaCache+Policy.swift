internal import Caching
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting

extension MediaCache {
  /// Whether the file may be fetched with these settings, and this program has written the entry.
  func isUsable(_ entry: CacheEntry) -> Bool {
    let file = entry.file
    guard usablePolicies.contains(entry.policy), let format = file.mediaFormat,
      StoredFile(name: file.name, size: file.size, filenameExtension: format.filenameExtension) != nil
    else { return false }
    return file.size <= limits[format.family] && limits.excess(of: file.mediaFacts, of: format.family) == nil
  }
}

extension CachedFile {
  /// Keeps the warning after the format, as in `mp4 av1`.
  convenience init(_ stored: StoredFile, _ format: MediaFormat, _ facts: MediaFacts, contentType: String?) {
    let words = [format.rawValue, facts.warning?.rawValue].compactMap(\.self)
    let numbers = [facts.width, facts.height, facts.frames, facts.milliseconds].map { $0 ?? 0 }
    self.init(
      name: stored.name, size: stored.size, format: words.joined(separator: " "), contentType: contentType,
      numbers: .init(numbers[0], numbers[1], numbers[2], numbers[3]))
  }

  /// Splits by bytes, which is faster, because this is read for each payload.
  private var words: (format: String, warning: String?) {
    guard let space = format.utf8.firstIndex(of: UInt8(ascii: " ")) else { return (format, nil) }
    return (String(format[..<space]), String(format[space...].dropFirst()))
  }

  var mediaFormat: MediaFormat? { MediaFormat(rawValue: words.format) }

  var mediaFacts: MediaFacts {
    func number(_ place: Int) -> Int? { numbers[place] > 0 ? numbers[place] : nil }
    return MediaFacts(
      width: number(0), height: number(1), frames: number(2), milliseconds: number(3),
      warning: words.warning.flatMap { MediaWarning(rawValue: $0) })
  }
}

extension FetchSettings {
  /// A hash of the settings that decide what may be fetched and from which servers.
  var policyFingerprint: UInt64 { policyFingerprint(sniffing: Sniffer.version) }

  /// - Parameter version: the sniffer's version. An older sniffer may have accepted files that are refused now.
  func policyFingerprint(sniffing version: Int) -> UInt64 {
    // "4" is the version of the request, and of the other rules that no setting changes.
    let switches = ["4", "\(version)", "\(allowsHTTP)", "\(allowsDowngrade)", "\(maximumRedirects)"]
    let words =
      switches + [certificateFile ?? "", nameServers ?? ""] + allowedPorts.sorted().map { "\($0)" }
      + addresses.allowed.map { "\($0)" }.sorted() + addresses.denied.map { "not \($0)" }.sorted()
    // This need not be a digest, because only the operator chooses the settings.
    return FNV1a.hash(words.joined(separator: "\n").utf8.span)
  }
}
