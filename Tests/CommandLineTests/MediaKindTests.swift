import Enriching
import TestSupport
import Testing

@Suite("Every file of Fixtures/media", .servedByNginx)
struct MediaKindTests {
  /// The files that are accepted, with their types.
  static let accepted = [
    "animation.gif": "com.compuserve.gif", "clip-index-at-end.mp4": "public.mpeg-4", "clip.avi": "public.avi",
    "clip.m2v": "public.mpeg-2-video", "clip.mp4": "public.mpeg-4", "clip.mpg": "public.mpeg",
    "photo.jpg": "public.jpeg", "photo.png": "public.png", "sound-long-tag.mp3": "public.mp3",
    "sound-named.mp4": "public.mpeg-4-audio", "sound.aiff": "public.aiff-audio",
    "sound.m4a": "public.mpeg-4-audio",
    "sound.mp3": "public.mp3", "sound.wav": "com.microsoft.waveform-audio",
    "animation.png": "public.png",
    "clip.m1v": "public.mpeg",
    "clip.vob": "public.mpeg",
    "clip-fragmented.mp4": "public.mpeg-4",
    "clip.m4v": "public.mpeg-4",
    "sound.m4b": "public.mpeg-4-audio",
    "sound-rf64.wav": "com.microsoft.waveform-audio",
    "sound.aifc": "public.aiff-audio",
  ]

  /// The files that are refused, with the name in the error.
  static let refused = [
    "clip.mkv": "Matroska video", "clip.mov": "QuickTime movie", "clip.webm": "WebM video",
    "data.json": "JSON error document with the code “404”", "document.pdf": "PDF document",
    "drawing.svg": "SVG image",
    "page-named.jpg": "HTML page titled “404 Not Found”", "page.html": "HTML page titled “404 Not Found”",
    "photo.bmp": "BMP image",
    "photo.tiff": "TIFF image",
    "photo.webp": "WebP image", "sound.flac": "FLAC audio", "sound.ogg": "Ogg audio",
    "webp-named.gif": "WebP image",
    "sound.aac": "AAC audio in ADTS",
    "sound.ac3": "AC-3 audio",
    "sound.amr": "AMR audio",
    "sound.mp2": "MP2 audio (MPEG Layer II)",
    "sound.caf": "CAF audio",
    "sound.wv": "WavPack audio",
    "sound.tta": "True Audio",
    "sound.w64": "Wave64 audio",
    "sound-rifx.wav": "RIFX file (big-endian RIFF)",
    "sound.au": "AU audio",
    "sound.8svx": "8SVX audio",
    "sound.mid": "MIDI music",
    "photo.avif": "AVIF image",
    "photo.heic": "HEIC image",
    "photo.ico": "Windows icon",
    "photo.jp2": "JPEG 2000 image",
    "photo.jls": "JPEG-LS image",
    "photo.jxl": "JPEG XL image",
    "photo.qoi": "QOI image",
    "photo.ppm": "PPM image",
    "clip.3gp": "3GPP video",
    "clip.flv": "Flash video (FLV)",
    "clip.ts": "MPEG transport stream",
    "clip.m2ts": "MPEG transport stream",
    "clip.wmv": "Windows Media (ASF)",
    "document.ps": "PostScript document",
  ]

  @Test("all files of the folder are listed, of all eleven kinds") func complete() {
    #expect(
      (Array(Self.accepted.keys) + Array(Self.refused.keys) + ["make"]).sorted()
        == Files.names(in: Fixtures.media))
    #expect(Set(Self.accepted.values).count == 11)
  }

  @Test(arguments: accepted.keys.sorted(), ["http", "https"])
  func isEnriched(file: String, scheme: String) async throws {
    let nginx = try #require(ServedByNginx.server)
    let origin = scheme == "http" ? nginx.httpOrigin : nginx.httpsOrigin
    let input = Push.naming("\(origin)/\(file)")
    let enriched = try await enrich(
      input, reaching(nginx.httpPort, nginx.httpsPort) + ["--ca-file", nginx.caFile])
    let type = try #require(Self.accepted[file])
    let stored = try await StoredMedia(file, type: type)
    let member = #""attachments":[\#(stored.attachment(type: type))]"#
    #expect(enriched.run.output == String(decoding: inserting(member, into: input), as: UTF8.self))
    #expect(enriched.run.termination == .exited(0))
    #expect(enriched.stored == [stored.name])
  }

  @Test(arguments: refused.keys.sorted())
  func isRefusedByName(file: String) async throws {
    let nginx = try #require(ServedByNginx.server)
    let enriched = try await enrich(Push.naming("\(nginx.httpOrigin)/\(file)"), reaching(nginx.httpPort))
    expectUnmodified(enriched, .typeUnsupported, saying: "\(try #require(Self.refused[file]));")
    #expect(enriched.line.contains(": the bytes are "))
  }

  @Test("the stored bytes are the served bytes") func content() async throws {
    let nginx = try #require(ServedByNginx.server)
    try await withTemporaryDirectory { folder in
      let options = reaching(nginx.httpPort) + ["--store", folder.path]
      let enriched = try await enrich(Push.naming("\(nginx.httpOrigin)/clip.mpg"), options)
      #expect(enriched.run.exitStatus == 0)
      let name = try #require(folder.names.first)
      #expect(folder.names.count == 1)
      #expect(try Files.read(folder.path(of: name)) == Files.read("\(Fixtures.media)/clip.mpg"))
    }
  }
}
