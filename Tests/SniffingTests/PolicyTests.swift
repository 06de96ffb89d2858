import Sniffing
import TestSupport
import Testing

/// Files that iOS plays although they look foreign, and files that it may not show. The start of a file's
/// name says which it is.
@Suite("Policy") struct PolicyTests {
  private static let formats: [(start: String, format: MediaFormat)] = [
    ("aifc-", .aiff), ("rf64-", .wav), ("cmyk-", .jpeg), ("16-bit-", .png),
  ]

  static let refused = [
    "not-aifc-MAC3.aifc": "AIFF-C audio of type “MAC3”", "not-aifc-QDM2.aifc": "AIFF-C audio of type “QDM2”",
    "not-aifc-GSM.aifc": "AIFF-C audio of type “GSM ”", "not-aifc-description.aifc": "AIFF-C without sound",
    "not-aifc-sound.aifc": "AIFF-C without sound", "not-rf64-sizes.wav": "RF64 file of type “WAVE”",
    "not-rf64-film.wav": "RF64 file of type “AVI”", "not-rf64-bw64.wav": "BW64 audio (WAV over 4 GB)",
    "not-rf64-dts.wav": "DTS audio in WAVE", "not-rf64-mp3.wav": "MP3 audio in WAVE",
    "not-rf64-wavpack.wav": "WavPack audio in WAVE",
  ]

  private static let names = Files.names(in: Fixtures.policy).filter { $0 != "make" }
  private static func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(Fixtures.policy)/\(name)") }

  private static func format(of name: String) throws -> MediaFormat {
    if let row = formats.first(where: { name.hasPrefix($0.start) }) { return row.format }
    return try #require([".mp4": .mp4, ".m4a": .m4a, ".jpg": .jpeg, ".png": .png][String(name.suffix(4))])
  }

  @Test("each is accepted or refused", arguments: names) func verdict(name: String) throws {
    let bytes = try Self.bytes(name)
    let sniffer = try Sniffer.shared.get()
    let expected: Examination =
      if let refusal = Self.refused[name] { .rejected(name: refusal) } else {
        .accepted(try Self.format(of: name))
      }
    #expect(sniffer.examine(bytes) == expected)
    #expect(sniffer.follow(bytes, step: 100).verdict == expected)
  }

  @Test("a warning is found in the files that have its name, and in no others", arguments: names)
  func warning(name: String) throws {
    guard Self.refused[name] == nil else { return }
    let warning = try Sniffer.shared.get().facts(of: Self.bytes(name)).warning
    #expect(warning == MediaWarning.allCases.first { name.hasPrefix("\($0.rawValue)-") })
  }

  @Test("each warning has at least one file, and a text of its own") func complete() {
    for warning in MediaWarning.allCases {
      #expect(Self.names.contains { $0.hasPrefix("\(warning.rawValue)-") }, "\(warning)")
    }
    #expect(Set(MediaWarning.allCases.map(\.text)).count == MediaWarning.allCases.count)
    for (start, _) in Self.formats { #expect(Self.names.count { $0.hasPrefix(start) } >= 3) }
  }

  @Test("usual files have no warning", arguments: FixtureTests.expected.keys.sorted())
  func usual(name: String) throws {
    guard case .accepted? = FixtureTests.expected[name] else { return }
    let warning = try Sniffer.shared.get().facts(of: Files.read("\(Fixtures.media)/\(name)")).warning
    // Its picture was computed with 16 bits.
    #expect(warning == (name == "photo.png" ? .sixteenBit : nil))
  }

  @Test(
    "AIFF-C is refused wherever it is cut before its sound", arguments: names.filter { $0.hasPrefix("aifc-") }
  )
  func cut(name: String) throws {
    let bytes = try Self.bytes(name)
    let sound = try #require(bytes.indices.first { bytes[$0...].starts(with: "SSND".utf8) })
    for place in (0..<200).map({ $0 * bytes.count / 200 }) + [sound + 16, sound + 17] {
      let verdict = try Sniffer.shared.get().examine(Array(bytes.prefix(place)))
      #expect((verdict == .accepted(.aiff)) == (place >= sound + 17), "\(place)")
    }
  }
}
