/// Bytes whose type is beyond doubt, and what libmagic 5.44 with Debian 12's database says of them.
///
/// A library or a database that says something else is not the one that the names of what is refused were
/// tested with.
struct MagicSample {
  /// For people.
  let name: String
  let bytes: [UInt8]
  let mimeType: String
  /// What the description starts with.
  let description: String

  static let all = [
    MagicSample(
      name: "FLAC audio", bytes: Array("fLaC\0\0\0\u{22}\u{10}\0\u{10}\0".utf8), mimeType: "audio/flac",
      description: "FLAC audio"),
    MagicSample(
      name: "a PDF document", bytes: Array("%PDF-1.7\n".utf8), mimeType: "application/pdf",
      description: "PDF document"),
    MagicSample(
      name: "a GIMP image", bytes: Array("gimp xcf file\0".utf8), mimeType: "image/x-xcf",
      description: "GIMP XCF image"),
    MagicSample(
      name: "an xz archive", bytes: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], mimeType: "application/x-xz",
      description: "XZ compressed data"),
    MagicSample(
      name: "a GIF image", bytes: Array("GIF89a\u{1}\0\u{1}\0\0\0\0".utf8), mimeType: "image/gif",
      description: "GIF image data"),
    MagicSample(
      name: "bytes that mean nothing", bytes: [1, 2, 3, 4, 0x7A, 0x7A, 0x7A, 0x7A],
      mimeType: "application/octet-stream", description: "data"),
  ]
}

extension MagicCookie {
  /// Asks about all samples.
  /// - Throws: `SnifferError.answersOtherwise` with the first that gets another answer.
  mutating func testSelf() throws(SnifferError) {
    for sample in MagicSample.all {
      let mimeType = mimeType(of: sample.bytes) ?? "nothing"
      guard mimeType == sample.mimeType else {
        throw .answersOtherwise(sample: sample.name, answer: mimeType)
      }
      let description = description(of: sample.bytes) ?? "nothing"
      guard description.hasPrefix(sample.description) else {
        throw .answersOtherwise(sample: sample.name, answer: description)
      }
    }
  }
}
