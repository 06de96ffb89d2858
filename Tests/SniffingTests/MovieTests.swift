import Sniffing
import TestSupport
import Testing

/// ISO media files with an unusual structure.
@Suite("Movies") struct MovieTests {
  private static let quicktime = Examination.rejected(name: "QuickTime movie")
  private static let segment = Examination.rejected(name: "MP4 initialization segment without media")
  private static let encrypted = Examination.rejected(name: "encrypted MP4 (DRM)")
  private static let cut = Examination.rejected(name: "MP4 without its whole index")
  private static let trackless = Examination.rejected(name: "MP4 without tracks")
  private static let empty = Examination.rejected(name: "MP4 without media data")

  /// Every file of the folder.
  static let expected: [String: Examination] = [
    "segment-film.mp4": segment, "segment-sound.mp4": segment, "segment-both.mp4": segment,
    "segment-padded.mp4": segment, "segment-without-data.mp4": empty,
    "segments-film.mp4": .accepted(.mp4), "segments-sound.mp4": .accepted(.m4a),
    "segments-hybrid.mp4": .accepted(.mp4),
    "long-type-quicktime.mp4": quicktime, "long-type-film.mp4": .accepted(.mp4),
    "long-type-late.mp4": .accepted(.mp4), "long-type-sound.mp4": .accepted(.m4a),
    "long-type-phone.mp4": .rejected(name: "3GPP video"), "long-index.mp4": .accepted(.mp4),
    "brand-sound-on-film.m4a": .accepted(.mp4), "brand-sound-on-both.m4a": .accepted(.mp4),
    "brand-sound-on-late-film.m4a": .accepted(.mp4), "brand-book-on-film.m4b": .accepted(.mp4),
    "brand-book-on-sound.m4b": .accepted(.m4a), "brand-film-on-sound.m4v": .accepted(.m4a),
    "brand-film-on-film.m4v": .accepted(.mp4), "brand-sound-with-chapters.m4a": .accepted(.m4a),
    "disabled-film.mp4": .accepted(.mp4),
    "boxes-25.mp4": .accepted(.mp4), "boxes-100.mp4": .accepted(.mp4), "boxes-1000.mp4": .accepted(.mp4),
    "boxes-2000.mp4": trackless, "boxes-25-far-apart.mp4": .accepted(.mp4),
    "boxes-40-of-media.mp4": .accepted(.mp4),
    "encrypted-film.mp4": encrypted, "encrypted-sound.mp4": encrypted, "encrypted-both.mp4": encrypted,
    "encrypted-index-in-front.mp4": encrypted, "encrypted-fragments.mp4": encrypted,
    "encrypted-by-store.m4a": encrypted, "encrypted-by-audible.m4b": encrypted,
    "claims-1-gigabyte.mp4": cut, "claims-one-byte-more.mp4": cut, "claims-a-terabyte.mp4": cut,
    "claims-without-end.mp4": cut, "claims-track.mp4": trackless, "claims-no-data.mp4": empty,
    "claims-empty-data.mp4": .accepted(.mp4),
    "space-free.mp4": .accepted(.mp4), "space-skip.mp4": .accepted(.mp4), "space-wide.mp4": .accepted(.mp4),
    "space-twice.m4a": .accepted(.m4a), "space-quicktime.mp4": quicktime,
    "space-quicktime-old.mp4": quicktime,
  ]

  @Test func everyFileIsExpected() {
    #expect(Files.names(in: Fixtures.movies).filter { $0 != "make" } == Self.expected.keys.sorted())
  }

  @Test(arguments: expected.keys.sorted())
  func isRecognised(_ name: String) throws {
    let bytes = try Files.read("\(Fixtures.movies)/\(name)")
    let sniffer = try Sniffer.shared.get()
    #expect(sniffer.examine(bytes) == Self.expected[name])
    for step in [1, 100, 4096] {
      let arrival = sniffer.follow(bytes, step: step)
      #expect(arrival.verdict == Self.expected[name])
      #expect(arrival.bytesRead <= 131_072 && arrival.alwaysProgressed)
    }
  }

  /// The movies of three folders.
  static let movies: [(path: String, expected: Examination)] =
    expected.map { ("\(Fixtures.movies)/\($0)", $1) }
    + FixtureTests.expected.filter { $0.key.contains(/\.(mp4|m4[abv])$/) }
    .map { ("\(Fixtures.media)/\($0)", $1) }
    + Files.names(in: Fixtures.policy).filter { $0.contains(/\.(mp4|m4a)$/) }
    .map { ("\(Fixtures.policy)/\($0)", .accepted($0.hasSuffix("4a") ? .m4a : .mp4)) }

  /// A cut movie is accepted only if its index is whole and the box of its data is there.
  @Test(arguments: movies.map(\.path).sorted())
  func isRefusedIfCut(_ path: String) throws {
    let bytes = try Files.read(path)
    let expected = try #require(Self.movies.first { $0.path == path }).expected
    let sniffer = try Sniffer.shared.get()
    let enough = Self.firstBytes(of: bytes)
    let places = (0..<200).map { $0 * bytes.count / 200 } + [max(enough, 1) - 1, min(enough, bytes.count)]
    for place in places {
      let verdict = sniffer.examine(Array(bytes.prefix(place)))
      if case .accepted = expected, place >= enough {
        // The picture may come after the sound.
        #expect(verdict == expected, "\(place) of \(bytes.count) bytes")
      } else if case .accepted = verdict {
        Issue.record("\(place) of \(bytes.count) bytes are accepted")
      }
    }
  }

  /// The number of bytes that include the whole index and the header of the first box with data.
  private static func firstBytes(of bytes: [UInt8]) -> Int {
    var (offset, index, media) = (0, Int.max, Int.max)
    while offset + 8 <= bytes.count {
      let short = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let long = bytes[(offset + 8)...].prefix(8).reduce(0) { $0 << 8 | Int($1) }
      let size = [0: bytes.count - offset, 1: long][short] ?? short
      let kind = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      if kind == "moov" { index = min(index, offset + size) }
      if kind == "mdat" { media = min(media, offset + 8) }
      offset += size
    }
    return max(index, media)
  }

  /// Movies from online stores have an index of several hundred KB. The sniffer waits for all of it, but does
  /// not read it.
  @Test func longIndexIsHardlyRead() throws {
    let bytes = try Files.read("\(Fixtures.movies)/boxes-25.mp4")
    let place = try #require(bytes.indices.dropFirst(4).first { bytes[$0...].starts(with: "moov".utf8) })
    let size = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    let padding = 500_000
    let long = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (size + padding) >> $0) }
    let free = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: padding >> $0) } + Array("free".utf8)
    let end = place - 4 + size
    let index = bytes[place..<end] + free + [UInt8](repeating: 0, count: padding - 8)
    let film = bytes[..<(place - 4)] + long + index + bytes[end...]
    let arrival = try Sniffer.shared.get().follow(Array(film), step: 4096)
    #expect(arrival.verdict == .accepted(.mp4))
    #expect(arrival.questions <= 3 && arrival.bytesRead <= 20_000)
  }
}
