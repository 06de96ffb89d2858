import TestSupport

/// A file of Fixtures/media as the store should have it, determined without the code under test.
struct StoredMedia: Sendable {
  let size: Int
  let sha256: String
  /// `<sha256>.<extension>`.
  let name: String
  /// Compact JSON of its members in an attachment, with a comma in front.
  let facts: String

  /// - Parameter type: the expected UTI.
  init(_ file: String, type: String) async throws {
    let path = "\(Fixtures.media)/\(file)"
    facts = Self.facts[file] ?? ""
    size = try Files.size(of: path)
    sha256 = String(try await Command("sha256sum").runSuccessfully([path]).output.prefix(64))
    name = "\(sha256).\(Self.extensions[type] ?? "no extension for \(type)")"
  }

  /// The file as an attachment in a payload. `options` is compact JSON, or empty.
  func attachment(
    _ identifier: String = "media", type: String, options: String = "", hasFacts: Bool = true
  ) -> String {
    #"{"identifier":"\#(identifier)","url":"\#(publicURL)\#(name)","type":"\#(type)","size":\#(size),"#
      + #""sha256":"\#(sha256)"\#(options.isEmpty ? "" : #","options":\#(options)"#)\#(hasFacts ? facts : "")}"#
  }

  /// Size and duration, as ffprobe reports them.
  private static let facts = [
    "photo.jpg": #","width":320,"height":240"#, "photo.png": #","width":64,"height":48"#,
    "animation.gif": #","width":64,"height":48"#, "animation.png": #","width":32,"height":32"#,
    "sound.wav": #","duration":0.4"#, "sound.aiff": #","duration":0.4"#,
    "sound-rf64.wav": #","duration":0.02"#, "sound.aifc": #","duration":0.02"#,
    "clip.avi": #","width":96,"height":64,"duration":0.6"#, "clip.mpg": #","width":96,"height":64"#,
    "clip.m2v": #","width":96,"height":64"#, "clip.m1v": #","width":32,"height":32"#,
    "clip.vob": #","width":32,"height":32"#,
    "sound.mp3": #","duration":0.47"#, "sound-long-tag.mp3": #","duration":0.47"#,
    "sound.m4a": #","duration":0.4"#, "sound-named.mp4": #","duration":0.4"#,
    "sound.m4b": #","duration":0.1"#, "clip.mp4": #","width":96,"height":64,"duration":0.6"#,
    "clip-index-at-end.mp4": #","width":96,"height":64,"duration":0.6"#,
    "clip.m4v": #","width":32,"height":32,"duration":0.2"#,
    "clip-fragmented.mp4": #","width":32,"height":32"#,
  ]

  /// Apple, Uniform Type Identifiers, "System-declared uniform type identifiers".
  private static let extensions = [
    "public.aiff-audio": "aiff", "com.microsoft.waveform-audio": "wav", "public.mp3": "mp3",
    "public.mpeg-4-audio": "m4a", "public.jpeg": "jpg", "com.compuserve.gif": "gif", "public.png": "png",
    "public.mpeg": "mpg", "public.mpeg-2-video": "m2v", "public.mpeg-4": "mp4", "public.avi": "avi",
  ]
}

/// `payload` with a member after the last one of its top object.
func inserting(_ member: String, into payload: [UInt8]) -> [UInt8] {
  let blank = Array(" \t\r\n".utf8)
  let brace = payload.lastIndex(of: UInt8(ascii: "}")) ?? 0
  let end = payload[..<brace].lastIndex { !blank.contains($0) }.map { $0 + 1 } ?? brace
  return payload[..<end] + Array(",\(member)".utf8) + payload[end...]
}
