/// Bytes whose type is beyond doubt, and what libmagic 5.44 with Debian 12's database says of them: the MIME
/// type, and what the description starts with.
///
/// A library or a database that says something else is not the one that the names of what is refused were
/// tested with.
private let samples: [(name: String, bytes: [UInt8], mimeType: String, description: String)] = [
  ("FLAC audio", Array("fLaC\0\0\0\u{22}\u{10}\0\u{10}\0".utf8), "audio/flac", "FLAC audio"),
  ("a PDF document", Array("%PDF-1.7\n".utf8), "application/pdf", "PDF document"),
  ("a GIMP image", Array("gimp xcf file\0".utf8), "image/x-xcf", "GIMP XCF image"),
  ("an xz archive", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "application/x-xz", "XZ compressed data"),
  ("a GIF image", Array("GIF89a\u{1}\0\u{1}\0\0\0\0".utf8), "image/gif", "GIF image data"),
  ("bytes that mean nothing", [1, 2, 3, 4, 0x7A, 0x7A, 0x7A, 0x7A], "application/octet-stream", "data"),
]

extension MagicCookie {
  /// Asks about all samples.
  /// - Throws: `SnifferError.answersOtherwise` with the first that gets another answer.
  mutating func testSelf() throws(SnifferError) {
    for sample in samples {
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
