import Sniffing
import Testing

/// Files of public test suites. `FixtureTests` has files of this repository in each format, and in
/// formats that are often sent instead.
@Suite(.enabled("needs the media of public test suites") { !LabelledFile.all.isEmpty })
struct VectorTests {
  @Test(arguments: LabelledFile.all.filter { $0.isClean && $0.acceptedAs != nil })
  func acceptsWhatIsAccepted(_ file: LabelledFile) throws {
    let verdict = try Sniffer.shared.get().examine(file.bytes)
    #expect(verdict == file.acceptedAs.map { .accepted($0) })
  }

  /// Damaged files are included, because damage must not turn a file into another format.
  @Test(arguments: LabelledFile.all.filter { $0.acceptedAs == nil })
  func refusesWhatIsRefused(_ file: LabelledFile) throws {
    guard case .rejected(let name) = try Sniffer.shared.get().examine(file.bytes) else {
      Issue.record("\(file.name), \(file.kind), was not refused")
      return
    }
    #expect(!name.isEmpty && name.count <= 80)
  }

  /// At least 19 in 20 are named. `MediaKindTests` checks the name of each file in this repository.
  @Test func namesWhatIsRefused() throws {
    let sniffer = try Sniffer.shared.get()
    let files = LabelledFile.all.filter { $0.isClean && $0.acceptedAs == nil }
    var unnamed: [String] = []
    for file in files {
      let verdict = sniffer.examine(file.bytes)
      guard case .rejected(let name) = verdict, let words = Self.words[file.kind] else {
        unnamed.append("\(file): \(verdict)")
        continue
      }
      if !words.contains(where: { name.contains($0) }) { unnamed.append("\(file): \(name)") }
    }
    #expect(unnamed.count * 20 <= files.count, "\(unnamed)")
  }

  /// The verdict does not depend on how the body is cut or how often it is examined.
  @Test(arguments: LabelledFile.all)
  func piecesMakeNoDifference(_ file: LabelledFile) throws {
    let sniffer = try Sniffer.shared.get()
    let whole = sniffer.examine(file.bytes)
    for step in [1000, 4096, 16_384] {
      let arrival = sniffer.follow(file.bytes, step: step)
      #expect(arrival.verdict == whole)
      #expect(arrival.alwaysProgressed)
      #expect(arrival.bytesRead <= 131_072)
    }
  }

  /// A word that must be in the name of a refused file, by the kind in its label.
  private static let words: [String: [String]] = [
    "3gp": ["3GPP"], "ac3": ["AC-3"], "adts": ["ADTS"], "amr": ["AMR"], "ape": ["Monkey"], "asf": ["ASF"],
    "avif": ["AVIF"], "bmp": ["BMP"], "cr3": ["CR3"], "flac": ["FLAC"], "flv": ["FLV"],
    "heic": ["HEIC", "HEIF"], "html": ["HTML"], "ico": ["Windows icon", "Windows cursor"],
    "jp2": ["JPEG 2000"], "jpeg": ["JPEG"], "json": ["JSON"], "jxl": ["JPEG XL"],
    "m2ts": ["transport stream"], "midi": ["MIDI"], "mkv": ["Matroska"], "mov": ["QuickTime"],
    "mp2": ["MP2"],
    "mpc": ["Musepack"], "mpegts": ["transport stream"], "ogg": ["Ogg"], "pdf": ["PDF"],
    "ps": ["PostScript"], "rifx": ["RIFX"], "svg": ["SVG"], "tiff": ["TIFF"], "wavpack": ["WavPack"],
    "webm": ["WebM"], "webp": ["WebP"],
  ]
}
