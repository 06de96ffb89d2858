import Sniffing
import TestSupport

/// Media of public test suites with labels: 455 files of fifty kinds. They are not in this
/// repository, because they have many licences, some of them unknown.
struct LabelledFile: Sendable, CustomStringConvertible {
  let name: String
  let kind: String
  let isClean: Bool
  let bytes: [UInt8]

  var description: String { "\(kind) \(name)" }

  static let all: [LabelledFile] = {
    let folder = Fixtures.publicMedia
    guard let table = try? String(decoding: Files.read("\(folder)/labels.tsv"), as: UTF8.self)
    else { return [] }
    return table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count >= 3,
        let bytes = try? Files.read("\(folder)/files/\(fields[0])")
      else { return nil }
      return LabelledFile(
        name: fields[0], kind: fields[1], isClean: fields[2] == "clean", bytes: bytes)
    }
  }()

  /// The format as which a file of this kind must be accepted; nil if it must be refused.
  var acceptedAs: MediaFormat? {
    // Its label names the file format. Its coding is one that iOS does not decode.
    if name == "d2400e65501e.jpg" { return nil }
    return switch kind {
    case "aiff", "wav", "mp3", "m4a", "jpeg", "gif", "png", "mp4", "avi": MediaFormat(rawValue: kind)
    case "apng": .png
    case "mp4audio", "m4b": .m4a
    case "m4v": .mp4
    case "aifc": .aiff
    case "rf64": .wav
    case "mpeg1": .mpeg
    case "mpeg2": bytes.starts(with: [0, 0, 1, 0xb3]) ? .mpeg2 : .mpeg
    default: nil
    }
  }
}
