/// A payload that names stored files.
struct WrittenPayload: Equatable, Sendable {
  let bytes: [UInt8]
  /// Where it names the stored files, by the identifiers of the media; spelled as `MediaKey`s.
  let paths: [String: [String]]
}
