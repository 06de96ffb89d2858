internal import Enriching
internal import Glibc
internal import Notifications
internal import Supporting

/// Cases whose content names the demo's server, so that it must be encrypted when they are run.
///
/// A case is `{"payload":{…},"kid":"…","shape":"…","content":{…}}`. The shape may be left out.
struct EncryptedCases {
  let folder: DemoFolder
  /// The path of a private copy of the key file. In a checkout, everyone may read the files.
  let keys: String
  private let sealer: Sealer

  /// Nil if the fixtures have no encrypted cases.
  /// - Parameter home: a folder for the copy of the key file.
  init?(in fixtures: DemoFolder, home: String) throws {
    folder = DemoFolder(path: "\(fixtures.path)/encrypted")
    guard let text = folder.read("keys.json") else { return nil }
    keys = "\(home)/keys.json"
    let descriptor = unsafe open(keys, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    guard descriptor >= 0, FileBytes.write(text, to: descriptor) else {
      throw DemoError("\(keys): \(String(errno: errno)): set TMPDIR to a writable folder")
    }
    sealer = try Sealer(keys: .file(keys))
  }

  /// Makes the payload of the case `text`, with its content encrypted.
  func payload(of text: [UInt8]) throws -> [UInt8] {
    let root = try JSONDocument(text).root
    return try sealer.seal(
      content: Array((root["content"]?.spelling ?? "").utf8), keyID: root["kid"]?.string ?? "",
      as: root["shape"]?.string.flatMap { ContentShape(rawValue: $0) },
      into: Payload(Array((root["payload"]?.spelling ?? "").utf8)))
  }
}
