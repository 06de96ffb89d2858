import Sniffing
import TestSupport
import Testing

/// Bodies that start like a file that iOS accepts, and have nothing after that.
@Suite("Stubs")
struct StubTests {
  static let stubs: [Sample] = [
    Sample("three bytes of JPEG", [0xff, 0xd8, 0xff], "JPEG image"),
    Sample("SOI and APP0", [0xff, 0xd8, 0xff, 0xe0], "JPEG image"),
    Sample("SOI and zeros", [0xff, 0xd8, 0xff, 0xe0] + zeros(20_000), "JPEG image"),
    Sample("SOI and a page", [0xff, 0xd8, 0xff, 0xe0] + page, "JPEG image"),
    Sample("SOI and fill bytes", [0xff, 0xd8] + [UInt8](repeating: 0xff, count: 90_000), "JPEG image"),
    Sample("SOI and EOI", [0xff, 0xd8, 0xff, 0xd9] + page, "JPEG image"),
    Sample(
      "a scan without a frame", [0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 1, 2], "JPEG image"),
    Sample(
      "an impossible frame", [0xff, 0xd8, 0xff, 0xc0, 0, 11, 7, 0, 9, 0, 9, 1, 1, 0x11, 0], "JPEG image"),
    Sample("an empty scan", frame + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0xff, 0xd9], "JPEG image"),

    Sample("a signature of PNG", png, "PNG image"),
    Sample("a signature of PNG and a page", png + page, "PNG image"),
    Sample("a header of PNG", png + header, "PNG image"),
    Sample("a header of PNG and an end", png + header + zeros(4) + "IEND".utf8 + zeros(4), "PNG image"),
    Sample("a wrong checksum", png + header.dropLast() + [1] + data, "PNG image"),
    Sample("an impossible depth", png + wrongDepth + data, "PNG image"),
    Sample("data that are not compressed", png + header + [0, 0, 0, 9] + "IDAT<html><b>".utf8, "PNG image"),

    Sample("a signature of GIF", Array("GIF89a".utf8), "GIF image"),
    Sample("PHP in a GIF", Array("GIF89a<?php system($_GET['c']); __halt_compiler();".utf8), "GIF image"),
    Sample("a script in a GIF", Array("GIF89a/*\0\0*/=1;alert(document.cookie)//;".utf8), "GIF image"),
    Sample("a screen of GIF", Array("GIF87a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3b], "GIF image"),
    Sample("a picture of GIF without data", gif + [2, 0, 0x3b], "GIF image"),
    Sample("codes of 13 bits", gif + [12, 1, 0, 0, 0x3b], "GIF image"),

    Sample("twelve bytes of WAVE", Array("RIFF....WAVE".utf8), .rejected(name: "WAVE header without sound")),
    Sample(
      "WAVE and a page", Array("RIFF....WAVE".utf8) + page, .rejected(name: "WAVE header without sound")),
    Sample("WAVE with a format", wave + format, .rejected(name: "WAVE header without sound")),
    Sample(
      "WAVE with data only", wave + "data".utf8 + [4, 0, 0, 0, 1, 2, 3, 4],
      .rejected(name: "WAVE header without sound")),
    Sample(
      "WAVE without channels", wave + silentFormat + "data".utf8 + zeros(8),
      .rejected(name: "WAVE header without sound")),
    Sample("twelve bytes of AVI", Array("RIFF....AVI ".utf8), "AVI movie"),
    Sample("AVI with a list only", Array("RIFF....AVI LIST\u{4}\0\0\0movi".utf8), "AVI movie"),
    Sample("twelve bytes of AIFF", Array("FORM....AIFF".utf8), "AIFF audio"),
    Sample(
      "AIFF without a rate", Array("FORM....AIFFCOMM\0\0\0\u{12}\0\u{1}".utf8) + zeros(16), "AIFF audio"),

    Sample("AIFF without its sound", Array("FORM\0\0\u{4}\0AIFF".utf8) + common, "AIFF audio"),
    Sample("AIFF with a page", Array("FORM\0\0\0\u{1e}AIFF".utf8) + common + page, "AIFF audio"),
    Sample(
      "AIFF up to its sound", Array("FORM\0\0\u{4}\0AIFF".utf8) + common + sound.dropLast(), "AIFF audio"),
    Sample("AIFF with its sound", Array("FORM\0\0\u{4}\0AIFF".utf8) + common + sound, .accepted(.aiff)),
    Sample(
      "AIFF in another order", Array("FORM\0\0\u{4}\0AIFF".utf8) + sound + [0] + common, .accepted(.aiff)),
    Sample("AIFF of metadata", Array("FORM\0\0\0\u{1e}AIFF".utf8) + common, .accepted(.aiff)),

    Sample("a pack", [0, 0, 1, 0xba], "MPEG movie"),
    Sample("a pack and zeros", [0, 0, 1, 0xba, 0x21] + zeros(99_999), "MPEG movie"),
    Sample("packs", Array(repeatElement(pack, count: 99).joined()), "MPEG movie"),
    Sample("a sequence header", [0, 0, 1, 0xb3], "MPEG movie"),
    Sample("a sequence without pictures", [0, 0, 1, 0xb3] + sequence + [0, 0, 1, 0xb7], "MPEG movie"),
    Sample("a picture of no size", [0, 0, 1, 0xb3] + zeros(8) + [0, 0, 1, 0, 0, 0xf, 0xff], "MPEG movie"),
  ]

  @Test("are refused", arguments: stubs)
  func stub(_ sample: Sample) throws {
    let sniffer = try Sniffer.shared.get()
    #expect(sniffer.examine(sample.bytes) == sample.verdict)
    #expect(sniffer.follow(sample.bytes, step: 500).verdict == sample.verdict)
  }

  @Test("get the same verdict again", arguments: stubs)
  func again(_ sample: Sample) throws {
    let sniffer = try Sniffer.shared.get()
    let body = RecordedBody(sample.bytes)
    var examination = MediaExamination()
    for _ in 0..<2 {
      let verdict = examination.proceed(available: sample.bytes.count, isComplete: true, with: sniffer) {
        body.read(at: $0, into: &$1)
      }
      #expect(verdict == sample.verdict)
    }
  }

  /// How much of a file is needed: up to the first sample, the list `movi`, the first byte
  /// of a packet, the head of a picture.
  static let films = [
    ("sound.wav", 48), ("sound.aiff", 89), ("clip.avi", 5_720), ("clip.mpg", 37), ("clip.vob", 36),
    ("clip.m1v", 26), ("clip.m2v", 36),
  ]

  @Test("of sounds and films are refused up to the content", arguments: films)
  func prefixes(_ name: String, _ start: Int) throws {
    let bytes = try Files.read("\(Fixtures.media)/\(name)")
    for count in (0..<200).map({ bytes.count * $0 / 200 }) + [start - 1, start] {
      if case .accepted = try Sniffer.shared.get().examine(Array(bytes.prefix(count))) {
        #expect(count >= start)
      } else {
        #expect(count < start)
      }
    }
  }

  @Test("behind a first block that never ends are refused in time") func endless() throws {
    let sniffer = try Sniffer.shared.get()
    for start in [[0xff, 0xd8, 0xff, 0xe0, 0, 2], png + header, [0, 0, 1, 0xba, 0x21]] as [[UInt8]] {
      let unit: [UInt8] =
        start[0] == 0xff ? [0xff, 0xe0, 0, 2] : start[0] == 0 ? pack : zeros(4) + "tEXt".utf8 + zeros(4)
      let bytes = start + Array(repeatElement(unit, count: 70_000).joined())
      let arrival = sniffer.follow(bytes, step: 4_096)
      guard case .rejected = arrival.verdict else {
        Issue.record("\(arrival.verdict)")
        continue
      }
      #expect(arrival.bytesRead < 2 * bytes.count + 8_192)
    }
  }

  @Test("and not films behind many zeros") func stuffed() throws {
    for (name, format) in [("clip.vob", MediaFormat.mpeg), ("clip.m2v", .mpeg2)] {
      let bytes = [UInt8](repeating: 0, count: 70_000) + (try Files.read("\(Fixtures.media)/\(name)"))
      #expect(try Sniffer.shared.get().examine(bytes) == .accepted(format))
    }
  }

  @Test("the duration of an AVI may be any product of its two numbers") func longest() throws {
    var bytes = try Files.read("\(Fixtures.media)/clip.avi")
    let header = try #require(bytes.indices.first { bytes[$0...].starts(with: "avih".utf8) }) + 8
    for offset in [0, 1, 2, 3, 16, 17, 18, 19] { bytes[header + offset] = 0xff }
    #expect(try Sniffer.shared.get().facts(of: bytes).milliseconds == 18_446_744_065_119_617)
  }
}

extension Sample {
  fileprivate init(_ description: String, _ bytes: [UInt8], _ format: String) {
    self.init(description, bytes, .rejected(name: "\(format) without content"))
  }
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

private let page = Array("<!DOCTYPE html><html><body>not a picture</body></html>".utf8)
private let frame: [UInt8] = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 9, 0, 9, 1, 1, 0x11, 0]
private let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/// One grey pixel of eight bits; the last four bytes are the checksum, as zlib computes it.
private let header: [UInt8] =
  [0, 0, 0, 13] + "IHDR".utf8 + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55]
private let wrongDepth: [UInt8] =
  [0, 0, 0, 13] + "IHDR".utf8 + [0, 0, 0, 1, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0xb8, 0x2e, 0x0c, 0x84]
private let data: [UInt8] = [0, 0, 0, 2] + "IDAT".utf8 + [0x78, 0x9c]
private let gif: [UInt8] =
  Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0]
private let wave = Array("RIFF....WAVE".utf8)
private let format: [UInt8] =
  Array("fmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]
private let silentFormat: [UInt8] =
  Array("fmt ".utf8) + [16, 0, 0, 0, 1, 0, 0, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]
/// One channel, ten frames of eight bits, 44,100 Hz.
private let common: [UInt8] =
  Array("COMM".utf8) + [0, 0, 0, 18, 0, 1, 0, 0, 0, 10, 0, 8, 0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]
private let sound: [UInt8] = Array("SSND".utf8) + [0, 0, 0, 9] + zeros(8) + [1]
private let pack: [UInt8] = [0, 0, 1, 0xba, 0x21, 0, 1, 0, 1, 0x80, 0, 1]
private let sequence: [UInt8] = [0x16, 0x00, 0xf0, 0x13, 0xff, 0xff, 0xe0, 0x10]
