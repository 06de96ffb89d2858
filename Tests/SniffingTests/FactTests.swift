import Sniffing
import TestSupport
import Testing

/// What files say about themselves besides their format.
@Suite("Facts") struct FactTests {
  /// Facts of files, as ffprobe reports them.
  static let known: [(String, MediaFacts)] = [
    ("sound.wav", MediaFacts(milliseconds: 400)), ("sound.aiff", MediaFacts(milliseconds: 400)),
    ("sound.mp3", MediaFacts(milliseconds: 470)), ("sound-long-tag.mp3", MediaFacts(milliseconds: 470)),
    ("sound.m4a", MediaFacts(milliseconds: 400)), ("sound-named.mp4", MediaFacts(milliseconds: 400)),
    ("sound.m4b", MediaFacts(milliseconds: 100)),
    ("clip.avi", MediaFacts(width: 96, height: 64, milliseconds: 600)),
    ("clip.mp4", MediaFacts(width: 96, height: 64, milliseconds: 600)),
    ("clip-index-at-end.mp4", MediaFacts(width: 96, height: 64, milliseconds: 600)),
    ("clip.m4v", MediaFacts(width: 32, height: 32, milliseconds: 200)),
    // The duration in the index leaves out the fragments.
    ("clip-fragmented.mp4", MediaFacts(width: 32, height: 32)),
    ("clip.mpg", MediaFacts(width: 96, height: 64)), ("clip.vob", MediaFacts(width: 32, height: 32)),
    ("clip.m1v", MediaFacts(width: 32, height: 32)), ("clip.m2v", MediaFacts(width: 96, height: 64)),
  ]

  @Test("are those that ffprobe finds", arguments: known)
  func facts(_ name: String, _ facts: MediaFacts) throws {
    let bytes = try Files.read("\(Fixtures.media)/\(name)")
    #expect(try Sniffer.shared.get().facts(of: bytes) == facts)
  }

  @Test("the length of a sound in packets of IMA 4:1 is counted in samples") func packets() throws {
    let bytes = try Files.read("\(Fixtures.policy)/aifc-adpcm_ima_qt.aifc")
    #expect(try Sniffer.shared.get().facts(of: bytes).milliseconds == 24)
  }

  /// Version, flags, two dates, then units a second and the duration (ISO/IEC 14496-12, 8.2.2).
  static let headers: [(version: UInt8, scale: UInt64, duration: UInt64, milliseconds: Int?)] = [
    (0, 1_000, 600, 600), (0, 90_000, 90_000 * 3_600, 3_600_000), (0, 1, 0xffff_fffe, 4_294_967_294_000),
    (0, 1_000, 0, nil), (0, 1_000, 0xffff_ffff, nil), (0, 0, 600, nil),
    (1, 1_000, 600, 600), (1, 0xffff_ffff, 0xffff_ffff << 16, 65_536_000), (1, 1_000, .max, nil),
    (1, 1, 1 << 40, nil), (1, 0, 1, nil),
  ]

  @Test("the duration of a film is its header's, unless that is not known", arguments: headers)
  func duration(version: UInt8, scale: UInt64, duration: UInt64, milliseconds: Int?) throws {
    func number(_ value: UInt64, _ count: Int) -> [UInt8] {
      (1...count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - $0))) }
    }
    var bytes = try Files.read("\(Fixtures.media)/clip.mp4")
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "mvhd".utf8) }) + 4
    let size = version == 1 ? 8 : 4
    // The sniffer does not read the rest of the header, so these bytes may overwrite it.
    let start = [version, 0, 0, 0] + number(0, 2 * size) + number(scale, 4) + number(duration, size)
    bytes.replaceSubrange(place..<place + start.count, with: start)
    #expect(try Sniffer.shared.get().facts(of: bytes).milliseconds == milliseconds)
  }

  /// 128 kbit/s at 44.1 kHz, and half of each in MPEG-2.
  static let encoders: [(String, [UInt8])] = [
    ("Xing", [0xff, 0xfb, 0x90, 0]), ("Info", [0xff, 0xfb, 0x90, 0xc0]), ("VBRI", [0xff, 0xfb, 0x90, 0]),
    ("Xing", [0xff, 0xf3, 0x90, 0]), ("Info", [0xff, 0xf3, 0x90, 0xc0]), ("VBRI", [0xff, 0xf3, 0x90, 0xc0]),
  ]

  @Test("the duration of an MP3 is the number of frames that its encoder counted", arguments: encoders)
  func frames(mark: String, header: [UInt8]) throws {
    let (isFirst, isMono) = (header[1] == 0xfb, header[3] == 0xc0)
    let length = isFirst ? 417 : 261
    // Side information of 32, 17 or 9 bytes is in front of it (ISO/IEC 11172-3 2.4.1.7, 13818-3).
    let place = mark == "VBRI" ? 32 : isFirst ? isMono ? 17 : 32 : isMono ? 9 : 17
    let counted: [UInt8] = mark == "VBRI" ? [0, 1, 0, 0, 0, 0, 0, 0, 9, 9] : [0, 0, 0, 1]
    for (bytes, milliseconds) in [(counted, 1_000 as Int?), (counted.map { $0 == 1 ? 2 : $0 }, nil)] {
      var frame = header + [UInt8](repeating: 0, count: place) + mark.utf8 + bytes + [0, 0, 0x07, 0xd0]
      frame += [UInt8](repeating: 0, count: length - frame.count)
      let next = header + [UInt8](repeating: 0, count: length - 4)
      let expected = mark == "VBRI" || milliseconds != nil ? 2_000 * (isFirst ? 1_152_000 : 576_000) : nil
      let rate = isFirst ? 44_100 : 22_050
      let facts = try Sniffer.shared.get().facts(of: frame + next + next)
      #expect(facts == MediaFacts(milliseconds: expected.map { $0 / rate }))
    }
  }
}
