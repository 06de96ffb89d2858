import Foundation
@testable import Notifications
import Sniffing
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("Attachments in a payload") struct MediaAttachmentTests {
  private static let digest = String(repeating: "0a", count: 32)
  private static let example = """
    {"identifier":"media","url":"https://cdn.example/a.jpg","type":"public.jpeg","size":7333,"sha256":"\(digest)"}
    """

  private static func all(_ list: String, schemes: Set<String> = ["https"]) throws -> [MediaAttachment] {
    MediaAttachment.all(in: try userInfo(#"{"attachments":\#(list)}"#), schemes: schemes)
  }

  @Test("are read as push-enricher writes them") func written() throws {
    let written = Notifications.Attachment(
      identifier: "media", url: "https://cdn.example/a.gif", type: "com.compuserve.gif", size: 1_234,
      sha256: Self.digest, options: Notifications.AttachmentOptions(),
      facts: .init(width: 3, height: 4, duration: 5))
    var writer = JSONWriter()
    writer.array { $0.write(written) }
    let read = try #require(try Self.all(String(decoding: writer.bytes, as: UTF8.self)).first)
    #expect(read.identifier == written.identifier && read.url.absoluteString == written.url)
    #expect(read.type == written.type && read.size == written.size && read.sha256 == written.sha256)
    #expect(read.options == NotificationExtension.AttachmentOptions())
  }

  @Test("have the types and extensions that push-enricher writes") func types() {
    let written = MediaFormat.allCases.map {
      "\($0.uniformTypeIdentifier) \($0.filenameExtension) \($0.family)"
    }
    #expect(MediaType.all.map { "\($0.identifier) \($0.filenameExtension) \($0.family)" } == written)
  }

  @Test("have options") func options() throws {
    let options = """
      {"typeHint":"x","thumbnailHidden":true,"thumbnailTime":1.5,
      "thumbnailClippingRect":{"X":0,"Y":0.25,"Width":1,"Height":0.5}}
      """
    let list = "[\(Self.example.dropLast()),\"options\":\(options)}]"
    let read = try #require(try Self.all(list).first?.options)
    #expect(read.thumbnailHidden == true && read.thumbnailTime == 1.5)
    let part = try #require(read.thumbnailClippingRect)
    #expect([part.x, part.y, part.width, part.height] == [0, 0.25, 1, 0.5])
    for wrong in ["[]", "7", #"{"thumbnailHidden":"yes"}"#] {
      let list = "[\(Self.example.dropLast()),\"options\":\(wrong)}]"
      #expect(try Self.all(list).map(\.options) == [NotificationExtension.AttachmentOptions()])
    }
  }

  @Test(
    "are left out if iOS would not take them",
    arguments: [
      ("7333", "0"), ("7333", "-1"), ("7333", "10000001"), ("7333", "1e300"), ("7333", "7333.5"),
      ("7333", #""7333""#),
      ("public.jpeg", "public.webp"), ("public.jpeg", ""), ("https", "http"), ("https", "file"),
      ("https://cdn.example/a.jpg", ""), ("0a0a", "0A0A"), ("0a0a", "0a0"), (#","size":7333"#, ""),
      (#"{"identifier""#, #"[{"identifier""#), (#"{"identifier":"#, ""),
    ])
  func refused(part: String, wrong: String) throws {
    let broken = Self.example.replacing(part, with: wrong, maxReplacements: 1)
    // Text that is not JSON cannot be a payload.
    let list = wrong.hasPrefix("[") ? "[\(broken)]]" : "[\(broken)]"
    guard (try? JSONSerialization.jsonObject(with: Data(list.utf8))) != nil else { return }
    #expect(try Self.all(list) == [])
    // Broken entries do not affect the others.
    #expect(try Self.all("[7,\(list.dropFirst().dropLast()),null,\(Self.example)]").map(\.size) == [7333])
  }

  @Test("are those of the key, at most 16, and none without a list") func lists() throws {
    for none in ["{}", "null", "[]"] { #expect(try Self.all(none) == []) }
    #expect(try Self.all("[\(Array(repeating: Self.example, count: 40).joined(separator: ","))]").count == 16)
    let payload = try userInfo(#"{"files":[\#(Self.example)],"attachments":7}"#)
    #expect(MediaAttachment.all(in: payload) == [])
    #expect(MediaAttachment.all(in: payload, key: "files").count == 1)
    // A caller may pass values that are not JSON.
    #expect(MediaAttachment.all(in: ["attachments": [Date()]]) == [])
  }

  /// Real files, each with a type that it may have.
  @Test(
    "may begin as real files of their type do, and not as those of another",
    arguments: [
      ("photo.jpg", "public.jpeg"), ("photo.png", "public.png"), ("animation.png", "public.png"),
      ("animation.gif", "com.compuserve.gif"), ("sound.aiff", "public.aiff-audio"),
      ("sound.aifc", "public.aiff-audio"),
      ("sound.wav", "com.microsoft.waveform-audio"), ("sound-rf64.wav", "com.microsoft.waveform-audio"),
      ("sound.mp3", "public.mp3"), ("sound-long-tag.mp3", "public.mp3"), ("sound.m4a", "public.mpeg-4-audio"),
      ("clip.mp4", "public.mpeg-4"), ("clip-fragmented.mp4", "public.mpeg-4"), ("clip.mpg", "public.mpeg"),
      ("clip.m1v", "public.mpeg"), ("clip.m2v", "public.mpeg-2-video"), ("clip.avi", "public.avi"),
    ])
  func beginnings(name: String, type: String) throws {
    let start = Array(try Files.read("\(Fixtures.media)/\(name)").prefix(MediaType.startLength))
    let fitting = MediaType.all.filter { $0.fits(start) }
    #expect(fitting.contains { $0.identifier == type })
    let isCertain = fitting.allSatisfy { !$0.beginnings.isEmpty }
    // Types without a certain beginning accept any file that does not begin like one of another type.
    #expect(fitting.count == (isCertain ? 1 : MediaType.all.count { $0.beginnings.isEmpty }))
  }
}
