import Sniffing
import TestSupport
import Testing

/// Files that look like one kind and are another, and rare kinds. The script `make` in their folder made them
/// all.
@Suite("Look-alikes")
struct LookAlikeTests {
  /// The verdicts by the start of a file's name. The longest start that fits decides.
  static let verdicts: [String: Examination] = {
    var verdicts = names.mapValues { Examination.rejected(name: $0) }
    for (kind, name) in ["jpg": "JPEG image", "png": "PNG image", "gif": "GIF image"] {
      for count in [1, 3, 13] {
        let bytes = count == 1 ? "1 other byte" : "\(count) other bytes"
        verdicts["stray-\(kind)-\(count)"] = .rejected(name: "\(name) behind \(bytes)")
      }
    }
    (verdicts["mp3-"], verdicts["wav-"], verdicts["mpeg-"]) = (
      .accepted(.mp3), .accepted(.wav), .accepted(.mpeg)
    )
    for count in [1, 2, 1_000, 5_000] { verdicts["mpeg-zeros-\(count)-m2v"] = .accepted(.mpeg2) }
    return verdicts
  }()

  private static let names = [
    "tar-": "tar archive", "ar-": "ar archive", "cpio-": "cpio archive", "multipart-": "multipart message",
    "mail-": "mail", "http-": "HTTP answer in a file", "html-": "HTML page",
    "words-": "text in front of other data", "plist-": "binary property list",
    "pickle-": "pickled Python object", "npy-": "NumPy array", "warc-": "web archive (WARC)",
    "map-": "serialized data", "length-": "serialized data", "deflated-": "deflated data",
    "disk-": "disk image", "marked-letters-": "unknown data that starts with “SND1”",
    "marked-lines-": "unknown data that starts with “XYZ”", "marked-words-": "text in front of other data",
    "free-": "MP3 audio of a free bit rate", "wave-hidden-ogg": "Ogg audio in WAVE",
    "wave-hidden-flac": "FLAC audio in WAVE", "wave-hidden-dts": "DTS audio in WAVE",
    "wave-no-bits": "WAVE header without sound", "wave-gsm": "GSM 6.10 audio in WAVE",
    "wave-yamaha": "Yamaha ADPCM audio in WAVE", "wave-mp2": "MP2 audio (MPEG Layer II) in WAVE",
    "wave-mp3": "MP3 audio in WAVE", "wave-aac": "AAC audio in WAVE", "wave-ac3": "AC-3 audio in WAVE",
    "wave-flac": "FLAC audio in WAVE", "wave-wma": "Windows Media audio in WAVE",
    "wave-g726": "G.726 audio in WAVE", "wave-g723": "G.723.1 audio in WAVE",
    "wave-wavpack-": "WavPack audio in WAVE", "tagged-aac-": "AAC audio in ADTS behind an ID3 tag",
    "tagged-ac3-": "AC-3 audio behind an ID3 tag", "tagged-eac3-": "E-AC-3 audio behind an ID3 tag",
    "tagged-flac-": "FLAC audio behind an ID3 tag", "tagged-ogg-": "Ogg audio or video behind an ID3 tag",
    "tagged-mp4-": "MPEG-4 media behind an ID3 tag", "hls-aac": "HLS AAC behind an ID3 tag",
    "hls-ac3": "HLS AC-3 behind an ID3 tag", "hls-eac3": "HLS E-AC-3 behind an ID3 tag", "dts-": "DTS audio",
    "thd-": "TrueHD audio", "mlp-": "MLP audio", "voc-": "VOC audio", "eac3-": "E-AC-3 audio",
    "rawflac-": "FLAC audio without its header", "ivf-": "IVF video", "av1-": "AV1 video without a container",
    "hevc-": "HEVC video without a container", "h264-": "H.264 video without a container",
    "vvc-": "VVC video without a container", "ts-": "MPEG transport stream", "wbmp-": "WBMP image",
    "heif-MiHE": "HEIF image", "heif-miaf": "HEIF image", "heif-MA1B": "AVIF image",
    "heif-abcd": "AVIF image", "heif-isom": "HEIC image", "heif-1pic": "HEIF image",
  ]

  static let files = Files.names(in: Fixtures.lookAlikes).filter { $0 != "make" }

  static let waves =
    files.filter { $0.hasPrefix("wav-") }.map { "\(Fixtures.lookAlikes)/\($0)" }
    + Files.names(in: Fixtures.policy).filter { $0.hasPrefix("rf64-") }.map { "\(Fixtures.policy)/\($0)" }

  @Test("WAVE is refused wherever it is cut before its first sample", arguments: waves)
  func cut(_ path: String) throws {
    let bytes = try Files.read(path)
    let sound = try #require(bytes.indices.first { bytes[$0...].starts(with: "data".utf8) }) + 8
    for place in (0..<200).map({ $0 * bytes.count / 200 }) + [sound + 3, sound + 4] {
      let verdict = try Sniffer.shared.get().examine(Array(bytes.prefix(place)))
      #expect((verdict == .accepted(.wav)) == (place >= sound + 4), "\(place)")
    }
  }

  @Test func everyVerdictHasFiles() {
    for start in Self.verdicts.keys {
      #expect(Self.files.contains { $0.hasPrefix(start) }, "\(start)")
    }
  }

  @Test(arguments: files)
  func isWhatItIs(_ name: String) throws {
    let verdict = try #require(
      Self.verdicts.filter { name.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value)
    let sniffer = try Sniffer.shared.get()
    let bytes = try Files.read("\(Fixtures.lookAlikes)/\(name)")
    #expect(sniffer.examine(bytes) == verdict)
    let arrival = sniffer.follow(bytes, step: 700)
    #expect(arrival.verdict == verdict)
    #expect(arrival.alwaysProgressed && arrival.bytesRead <= 131_072)
  }
}
