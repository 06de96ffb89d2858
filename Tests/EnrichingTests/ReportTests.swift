import Decrypting
@testable import Enriching
import Misbehaving
@testable import Notifications
import Sniffing
import TestSupport
import Testing

@Suite("Report")
struct ReportTests {
  private static let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))

  @Test("has these members in this order if the payload was enriched") func enriched() async throws {
    let report = try await report { [$0.url(Self.photo, file: "photo.jpg")] }
    #expect(Self.names(report) == ["outcome", "elapsed_ms", "peak_private_bytes", "media"])
    let medium = try #require(report["media"]?[0])
    #expect(
      Self.names(medium) == [
        "identifier", "url", "dialect", "path", "content_type", "type", "limit_bytes", "width", "height",
        "received_bytes",
        "stored_url",
        "size", "sha256", "written_at",
        "disagreeing_labels", "hops",
      ])
    #expect(
      Self.names(try #require(medium["hops"]?[0])) == [
        "url", "attempt", "address", "status", "received_bytes", "connect_us", "first_byte_us", "total_us",
      ])
  }

  @Test(
    "contains nothing of a URL's fragment, whatever it starts with", arguments: ["", "\u{301}", "\u{fe0f}"])
  func fragment(mark: String) async throws {
    let url = "ftp://media.example/a"
    let report = try await report { _ in ["\(url)#\(mark)secret"] }
    #expect(report["media"]?[0]?["url"]?.string == url)
  }

  @Test("says for the payload and for each medium what failed") func unmodified() async throws {
    let report = try await report { [$0.url(.serve(.notFoundPage)), "ftp://media.example/a"] }
    #expect(
      Self.names(report) == ["outcome", "reason", "detail", "elapsed_ms", "peak_private_bytes", "media"])
    #expect(report["outcome"]?.string == "unmodified")
    #expect(report["reason"]?.string == "http-status")
    #expect(report["detail"]?.string == "the server answered 404")
    let media = try #require(report["media"]).elements
    #expect(media.map { $0["reason"]?.string } == ["http-status", "scheme-not-allowed"])
    #expect(media.map { $0["detail"]?.string } == ["the server answered 404", "'ftp' is not fetched"])
    #expect(media.map { $0["hops"]?.elements.map { $0["status"]?.integer } } == [[404], []])
  }

  @Test("has times that only grow in a hop, and the whole is no shorter than a hop") func times() async throws
  {
    let report = try await report { [$0.url(.late(by: .milliseconds(50), Self.photo))] }
    let hop = try #require(report["media"]?[0]?["hops"]?[0])
    let times = ["connect_us", "first_byte_us", "total_us"].compactMap { hop[$0]?.integer }
    #expect(times.count == 3)
    #expect(times == times.sorted())
    #expect(try #require(report["elapsed_ms"]?.integer) >= 50)
  }

  @Test(
    "names each label that contradicts the bytes",
    arguments: [
      ("photo.jpg", "image/jpeg", []), ("photo", "application/octet-stream", []),
      ("photo.PNG?a.b/c", "image/jpeg", ["the extension 'PNG'"]),
      ("photo.jpg", "text/html; charset=utf-8", ["the Content-Type 'text/html; charset=utf-8'"]),
      ("v1.2/photo", "image/jpeg", []),
    ])
  func labels(file: String, type: String, disagreeing: [String]) async throws {
    let response = Response(.file("\(Fixtures.media)/photo.jpg"), as: type)
    let report = try await report { [$0.url(.serve(response), file: file)] }
    #expect(report["media"]?[0]?["disagreeing_labels"]?.elements.map(\.string) == disagreeing)
  }

  @Test(
    "names the hints that contradict the bytes",
    arguments: [
      ("photo.jpg", false), ("a picture", false), ("photo", false), ("Image", false), (".JPG", false),
      ("image/jpeg", false), ("public.jpeg", false), ("movie", true), ("audio", true), ("png", true),
      ("image/png", true), ("public.png", true),
    ])
  func hints(hint: String, disagrees: Bool) throws {
    let reference = MediaReference(
      url: "https://media.example/photo", identifier: "media", typeHint: TypeHint(hint), dialect: "", path: ""
    )
    var report = MediaReport(MediaRequest(reference, KeyRing()))
    report.format = .jpeg
    #expect(report.disagreements == (disagrees ? ["the hint '\(hint)'"] : []))
  }

  private func report(_ urls: @Sendable (HostileServer) -> [String]) async throws -> JSONValue {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        let list = urls(server).map { #""\#($0)""# }.joined(separator: ",")
        let bytes = Array(#"{"aps":{"alert":"Hello","mutable-content":1},"media":[\#(list)]}"#.utf8)
        return try json(await enricher.enrich(try PushMessage(bytes)).report)
      }
    }
  }

  private static func names(_ value: JSONValue) -> [String] { value.members.map(\.name) }
}
