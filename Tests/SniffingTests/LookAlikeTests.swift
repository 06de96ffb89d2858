import Sniffing
import TestSupport
import Testing

/// Files that look like one kind and are another, and kinds that are seldom met. The script `make`
/// among them made them all.
@Suite("Look-alikes")
struct LookAlikeTests {
  private static let folder = "\(Fixtures.media)/../look-alikes"

  /// By the start of the file's name. The longest one that fits decides.
  static let verdicts: [String: Examination] = [
    "tar-": .rejected(name: "tar archive"), "ar-": .rejected(name: "ar archive"),
    "cpio-": .rejected(name: "cpio archive"), "multipart-": .rejected(name: "multipart message"),
    "mail-": .rejected(name: "mail"), "http-": .rejected(name: "HTTP answer in a file"),
    "html-": .rejected(name: "HTML page"), "words-": .rejected(name: "text in front of other data"),
    "plist-": .rejected(name: "binary property list"), "pickle-": .rejected(name: "pickled Python object"),
    "npy-": .rejected(name: "NumPy array"), "warc-": .rejected(name: "web archive (WARC)"),
    "map-": .rejected(name: "serialized data"),
    "mp3-": .accepted(.mp3),
    "mpeg-": .accepted(.mpeg), "mpeg-zeros-1-m2v": .accepted(.mpeg2), "mpeg-zeros-2-m2v": .accepted(.mpeg2),
    "mpeg-zeros-1000-m2v": .accepted(.mpeg2), "mpeg-zeros-5000-m2v": .accepted(.mpeg2),
    "wav-": .accepted(.wav),
    "wave-gsm": .rejected(name: "GSM 6.10 audio in WAVE"),
    "wave-yamaha": .rejected(name: "Yamaha ADPCM audio in WAVE"),
    "wave-mp2": .rejected(name: "MP2 audio (MPEG Layer II) in WAVE"),
    "wave-mp3": .rejected(name: "MP3 audio in WAVE"), "wave-aac": .rejected(name: "AAC audio in WAVE"),
    "wave-ac3": .rejected(name: "AC-3 audio in WAVE"), "wave-flac": .rejected(name: "FLAC audio in WAVE"),
    "wave-wma": .rejected(name: "Windows Media audio in WAVE"),
    "wave-g726": .rejected(name: "G.726 audio in WAVE"),
    "wave-g723": .rejected(name: "G.723.1 audio in WAVE"),
    "wave-wavpack-": .rejected(name: "WavPack audio in WAVE"),
    "tagged-aac-": .rejected(name: "AAC audio in ADTS behind an ID3 tag"),
    "tagged-ac3-": .rejected(name: "AC-3 audio behind an ID3 tag"),
    "tagged-eac3-": .rejected(name: "E-AC-3 audio behind an ID3 tag"),
    "tagged-flac-": .rejected(name: "FLAC audio behind an ID3 tag"),
    "tagged-ogg-": .rejected(name: "Ogg audio or video behind an ID3 tag"),
    "tagged-mp4-": .rejected(name: "MPEG-4 media behind an ID3 tag"),
    "hls-aac": .rejected(name: "HLS AAC behind an ID3 tag"),
    "hls-ac3": .rejected(name: "HLS AC-3 behind an ID3 tag"),
    "hls-eac3": .rejected(name: "HLS E-AC-3 behind an ID3 tag"),
    "dts-": .rejected(name: "DTS audio"), "thd-": .rejected(name: "TrueHD audio"),
    "mlp-": .rejected(name: "MLP audio"), "voc-": .rejected(name: "VOC audio"),
    "eac3-": .rejected(name: "E-AC-3 audio"), "rawflac-": .rejected(name: "FLAC audio without its header"),
    "ivf-": .rejected(name: "IVF video"), "av1-": .rejected(name: "AV1 video without a container"),
    "hevc-": .rejected(name: "HEVC video without a container"),
    "h264-": .rejected(name: "H.264 video without a container"),
    "vvc-": .rejected(name: "VVC video without a container"),
    "ts-": .rejected(name: "MPEG transport stream"), "wbmp-": .rejected(name: "WBMP image"),
    "stray-jpg-1": .rejected(name: "JPEG image behind 1 other byte"),
    "stray-jpg-3": .rejected(name: "JPEG image behind 3 other bytes"),
    "stray-jpg-13": .rejected(name: "JPEG image behind 13 other bytes"),
    "stray-png-1": .rejected(name: "PNG image behind 1 other byte"),
    "stray-png-3": .rejected(name: "PNG image behind 3 other bytes"),
    "stray-png-13": .rejected(name: "PNG image behind 13 other bytes"),
    "stray-gif-1": .rejected(name: "GIF image behind 1 other byte"),
    "stray-gif-3": .rejected(name: "GIF image behind 3 other bytes"),
    "stray-gif-13": .rejected(name: "GIF image behind 13 other bytes"),
    "heif-MiHE": .rejected(name: "HEIF image"), "heif-miaf": .rejected(name: "HEIF image"),
    "heif-MA1B": .rejected(name: "AVIF image"), "heif-abcd": .rejected(name: "AVIF image"),
    "heif-isom": .rejected(name: "HEIC image"), "heif-1pic": .rejected(name: "HEIF image"),
  ]

  static let files = Files.names(in: folder).filter { $0 != "make" }

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
    let bytes = try Files.read("\(Self.folder)/\(name)")
    #expect(sniffer.examine(bytes) == verdict)
    let arrival = sniffer.follow(bytes, step: 700)
    #expect(arrival.verdict == verdict)
    #expect(arrival.alwaysProgressed && arrival.bytesRead <= 131_072)
  }

  /// Of the kinds that are refused, no beginning is accepted.
  @Test(arguments: files)
  func noBeginningIsAccepted(_ name: String) throws {
    let sniffer = try Sniffer.shared.get()
    let bytes = try Files.read("\(Self.folder)/\(name)")
    guard case .rejected = sniffer.examine(bytes) else { return }
    for place in 1..<200 {
      let start = Array(bytes.prefix(bytes.count * place / 200))
      if case .accepted(let format) = sniffer.examine(start) {
        Issue.record("\(start.count) bytes are accepted as \(format)")
      }
    }
  }
}
