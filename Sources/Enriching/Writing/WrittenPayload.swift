/// A payload that names stored files.
struct WrittenPayload: Equatable, Sendable {
  let bytes: [UInt8]
  /// Where it names the file of a medium, by the medium's identifier; spelled as `MediaKey`s.
  let paths: [String: [String]]
}
