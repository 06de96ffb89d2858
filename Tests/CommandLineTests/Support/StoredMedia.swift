import TestSupport

/// A file of Fixtures/media as the store should have it, determined without the code under test.
struct StoredMedia: Sendable {
  let size: Int
  let sha256: String
  /// `<sha256>.<extension>`.
  let name: String

  /// - Parameter type: the expected UTI.
  init(_ file: String, type: String) async throws {
    let path = "\(Fixtures.media)/\(file)"
    size = try Files.size(of: path)
    sha256 = String(try await Command("sha256sum").runSuccessfully([path]).output.prefix(64))
    name = "\(sha256).\(Self.extensions[type] ?? "no extension for \(type)")"
  }

  /// The file as an attachment in a payload. `options` is compact JSON, or empty.
  func attachment(_ identifier: String = "media", type: String, options: String = "") -> String {
    #"{"identifier":"\#(identifier)","url":"\#(publicURL)\#(name)","type":"\#(type)","size":\#(size),"#
      + #""sha256":"\#(sha256)"\#(options.isEmpty ? "" : #","options":\#(options)"#)}"#
  }

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
