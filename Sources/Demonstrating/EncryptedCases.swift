internal import Enriching
internal import Glibc
internal import Notifications
internal import Supporting

/// Cases whose content names the server of the demo, and so is encrypted when they are run.
///
/// A case: `{"payload":{…},"kid":"…","shape":"…","content":{…}}`. The shape may be left out.
struct EncryptedCases {
  let folder: DemoFolder
  /// The path of a private copy of the key file: files in a checkout are readable by everybody.
  let keys: String
  private let sealer: Sealer

  /// Nil if there are none.
  /// - Parameter home: a folder for the copy of the key file.
  init?(in fixtures: DemoFolder, home: String) throws {
    folder = DemoFolder(path: "\(fixtures.path)/encrypted")
    guard let text = folder.read("keys.json") else { return nil }
    keys = "\(home)/keys.json"
    let descriptor = unsafe open(keys, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    guard descriptor >= 0, FileBytes.write(text, to: descriptor) else {
      throw DemoError("\(keys): \(String(errno: errno)): set TMPDIR to a folder that can be written")
    }
    sealer = try Sealer(keys: .file(keys))
  }

  /// The payload of the case `text`.
  func payload(of text: [UInt8]) throws -> [UInt8] {
    let root = try JSONDocument(text).root
    return try sealer.seal(
      content: Array((root["content"]?.spelling ?? "").utf8), keyID: root["kid"]?.string ?? "",
      as: root["shape"]?.string.flatMap { ContentShape(rawValue: $0) },
      into: Payload(Array((root["payload"]?.spelling ?? "").utf8)))
  }
}
