/// A format that is recognized by its first bytes. It is a row of the tables below, and the first
/// row that fits decides. Leading junk is not skipped, because no decoder on a device skips it.
///
/// Sources: ISO/IEC 14496-12, 4.2 (boxes) and 4.3 (ftyp); Apple, "QuickTime File Format"; ISO/IEC
/// 11172-1 2.4.3.2 (pack); ISO/IEC 13818-2 6.2.2 (sequence header and extension).
struct Signature: Sendable {
  typealias Verdict = @Sendable (inout Body) throws(Shortage) -> Examination?

  private let bytes: [UInt8]
  private let offset: Int
  private let verdict: Verdict

  private static let all = containers + boxes + streams

  private static let containers = [
    // JPEG-LS (ITU-T T.87) shares only the start with JPEG.
    Signature([0xff, 0xd8, 0xff, 0xf7], .rejected(name: "JPEG-LS image")),
    Signature([0xff, 0xd8, 0xff], .accepted(.jpeg)),
    Signature(Array("GIF87a".utf8), .accepted(.gif)),
    Signature(Array("GIF89a".utf8), .accepted(.gif)),
    Signature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .accepted(.png)),
    Signature("RIFF", FormTable.riff),
    Signature("FORM", FormTable.iff),
    Signature("RF64", FormTable.rf64),
    Signature("BW64", FormTable(any: "BW64 audio (WAV over 4 GB)")),
    Signature("RIFX", FormTable(any: "RIFX file (big-endian RIFF)")),
    Signature(box: "ftyp", MovieRule.examine),
  ]

  /// Pieces of a movie, and first boxes from before ftyp was invented.
  private static let boxes =
    ["styp", "moof", "sidx", "emsg"].map { Signature(box: $0) { _ in .rejected(name: "MP4 fragment") } }
    + ["moov", "pnot", "mdat"].map { Signature(box: $0) { _ in .rejected(name: "QuickTime movie") } }
    + ["free", "skip", "wide"].map { Signature(box: $0, MovieRule.examine) }

  /// These come after the boxes, because a box of 442 bytes starts like a program stream.
  private static let streams = [
    // The version of the pack says nothing about the video. Apple calls both `public.mpeg`.
    Signature([0, 0, 1, 0xba], .accepted(.mpeg)),
    Signature([0, 0, 1, 0xb0], .rejected(name: "MPEG-4 Part 2 video without a container")),
    Signature([0, 0, 1, 0xb3]) { body throws(Shortage) in try StartCodeRule.sequence(at: 0, in: &body) },
    Signature(Array("ID3".utf8)) { body throws(Shortage) in try TagRule.examine(&body) },
    Signature(Array("APETAGEX".utf8)) { body throws(Shortage) in try TagRule.examine(&body) },
  ]

  /// Formats that libmagic has no MIME type for or calls text, or that may follow an ID3 tag.
  private static let names: KeyValuePairs = [
    "fLaC": "FLAC audio", "MAC ": "Monkey’s Audio", "wvpk": "WavPack audio", "MPCK": "Musepack audio",
    "MP+": "Musepack audio", "TTA1": "True Audio", "caff": "CAF audio", "RIFF": "RIFF media",
    "FORM": "IFF media", "#!AMR": "AMR audio", ".snd": "AU audio", "%PDF-": "PDF document",
    "%!PS": "PostScript document",
  ]

  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    for row in all where try row.fits(&body) {
      if let found = try row.verdict(&body) { return found }
    }
    return try name(at: 0, in: &body).map { .rejected(name: $0) }
  }

  static func name(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    for (start, name) in names where try body.has(start.utf8, at: offset) { return name }
    return try StreamNames.name(at: offset, in: &body)
  }

  private init(_ bytes: [UInt8], at offset: Int = 0, _ verdict: @escaping Verdict) {
    self.bytes = bytes
    self.offset = offset
    self.verdict = verdict
  }

  private init(_ bytes: [UInt8], _ examination: Examination) { self.init(bytes) { _ in examination } }

  private init(_ text: String, _ forms: FormTable) {
    self.init(Array(text.utf8)) { body throws(Shortage) in try forms.examine(&body) }
  }

  /// The first box of a file.
  private init(box type: String, _ verdict: @escaping Verdict) { self.init(Array(type.utf8), at: 4, verdict) }

  private func fits(_ body: inout Body) throws(Shortage) -> Bool {
    // A first byte that is a letter would mean a box of 512 MB or more. That is text that looks
    // like a box.
    if offset > 0, try body.byte(at: 0).map({ $0 < 0x20 }) != true { return false }
    return try body.has(bytes, at: offset)
  }
}
