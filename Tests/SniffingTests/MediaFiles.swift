import Foundation
import Sniffing

/// The small real media of the project.
enum Fixtures {
  static let folder = packageRoot.appending(path: "Fixtures/media")

  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: name)))
  }

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "make" }.sorted()
  }
}

/// Public media with labels, where they are at hand: 455 files from 40 test suites.
struct LabelledFile: Sendable, CustomStringConvertible {
  let name: String
  let kind: String
  let isClean: Bool
  let bytes: [UInt8]

  var description: String { "\(kind) \(name)" }

  static let all: [LabelledFile] = {
    let vectors =
      ProcessInfo.processInfo.environment["PUSH_ENRICHER_VECTORS"].map { URL(filePath: $0) }
      ?? packageRoot.deletingLastPathComponent().appending(path: "shared/vectors")
    let folder = vectors.appending(path: "media")
    guard let table = try? String(contentsOf: folder.appending(path: "labels.tsv"), encoding: .utf8) else {
      return []
    }
    return table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count >= 3,
        let data = try? Data(contentsOf: folder.appending(path: "files").appending(path: fields[0]))
      else { return nil }
      return LabelledFile(
        name: fields[0], kind: fields[1], isClean: fields[2] == "clean", bytes: [UInt8](data))
    }
  }()

  /// What a file of this kind has to be accepted as; nil where it must be refused.
  var acceptedAs: MediaFormat? {
    switch kind {
    case "aiff", "wav", "mp3", "m4a", "jpeg", "gif", "png", "mp4", "avi": MediaFormat(rawValue: kind)
    case "apng": .png
    case "mp4audio": .m4a
    case "mpeg1": .mpeg
    case "mpeg2": bytes.starts(with: [0, 0, 1, 0xb3]) ? .mpeg2 : .mpeg
    default: nil
    }
  }
}

private let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
