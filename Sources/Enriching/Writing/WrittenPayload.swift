internal import Notifications

/// A payload that names stored files.
struct WrittenPayload: Sendable {
  let bytes: [UInt8]
  /// Media whose URLs are replaced.
  let replaced: [MediaReference]
  let replacements: URLReplacements
  /// Media that are listed, under `key`.
  let listed: [Attachment]
  let key: String

  /// Where it names the stored file of a medium, spelled as `MediaKey`s.
  func paths(of reference: MediaReference) -> [String] {
    let isReplaced = replaced.contains { $0.identifier == reference.identifier }
    let places = isReplaced ? replacements.paths(of: reference.url) : []
    let entry = listed.firstIndex { $0.identifier == reference.identifier }
    return places + [entry.map { "\(MediaKey.escape(key)).\($0)" }].compactMap(\.self)
  }
}
