import Foundation
import Serving
import Synchronization
import TestSupport
import Testing

@testable import NotificationExtension

/// Compiles the extension in the article InYourApp with a stand-in for Apple's framework, and runs it.
@Suite("The extension in the article about the app", .timeLimit(.minutes(5))) struct ArticleTests {
  private static let standIns = "\(Fixtures.root)/Tests/StandIns"

  /// The compiler settings of the package's targets.
  private static let settings =
    [
      "-swift-version", "6", "-strict-memory-safety", "-warnings-as-errors", "-parse-as-library", "-Onone",
    ]
    + [
      "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ]
    .flatMap { ["-enable-upcoming-feature", $0] }

  private static func compile(_ arguments: [String], in folder: TemporaryDirectory) async throws {
    let command = (["swiftc"] + settings + arguments).joined(separator: " ")
    let run = try await Command("bash").run(
      ["-c", "cd \(folder.path) && PATH=$PATH:\(toolchain) \(command)"],
      environment: ["HOME": folder.path], limit: .seconds(180))
    try #require(run.exitStatus == 0, "\(run.standardError)\(run.output)")
  }

  /// The folder of the compiler that built these tests.
  static let toolchain =
    ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init)
    .first { FileManager.default.isExecutableFile(atPath: "\($0)/swiftc") } ?? ""

  private static func module(_ name: String, of sources: String, in folder: TemporaryDirectory) async throws {
    try await compile(
      ["-module-name", name, "-wmo", "-emit-module", "-emit-module-path \(name).swiftmodule", "-I .", "-c"]
        + ["-o \(name).o", "$(find \(sources) -name '*.swift')"], in: folder)
  }

  private static func code() throws -> String {
    try #require(try Documentation.article("InYourApp").blocks("swift").first)
  }

  @Test("has at most 60 lines") func length() throws {
    let lines = try Self.code().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 60)
  }

  @Test("compiles, and shows pushes with media, buttons and summaries") func runs() async throws {
    let photo = try Files.read("\(Fixtures.media)/photo.jpg")
    let requests = Mutex<[String]>([])
    let routes = [
      Route("/photo.jpg") { _ in Response(photo, as: "image/jpeg") },
      Route("/slow.jpg") { _ in
        try? await Task.sleep(for: .seconds(60))
        return Response(photo, as: "image/jpeg")
      },
      Route("/actions.json") { _ in
        Response(Array(#"{"actions":[{"identifier":"late","title":"Late"}]}"#.utf8), as: "application/json")
      },
      Route("/v1/missed", .post) { request in
        let text = String(decoding: request.body, as: UTF8.self)
        let count = text.firstMatch(of: #/"count":(\d+)/#)?.output.1 ?? ""
        requests.withLock { $0.append("missed \(count)") }
        return Response(
          status: count == "3" ? 503 : 202, Array(#"{"resending":\#(count)}"#.utf8), as: "application/json")
      },
      Route("/v1/receipts", .post) { request in
        let text = String(decoding: request.body, as: UTF8.self)
        let last = text.firstMatch(of: #/"last":(\d+)/#)?.output.1 ?? ""
        requests.withLock { $0.append("receipt \(last)") }
        return Response(status: 204)
      },
    ]
    try await withTemporaryDirectory { folder in
      try await withServer(routes) { server in
        let program = try await Self.build(for: server, in: folder)
        var hash = SHA256Digest()
        hash.update(Data(photo))
        let sha256 = hash.finish().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        func media(_ name: String, size: Int) -> String {
          #"{"identifier":"media","url":"\#(server)/\#(name)","type":"public.jpeg","size":\#(size),"#
            + #""sha256":"\#(sha256)","options":{"thumbnailHidden":true}}"#
        }
        func payload(_ text: String, _ position: Int?, _ members: String = "", aps: String = "") -> String {
          let hash = DeviceHash.hash(app: "com.example.app", device: "6F1C")
          let q = position.map { #","q":{"p":\#($0),"e":7,"d":"\#(hash)","t":"t\#($0)"}"# } ?? ""
          return #"{"aps":{"alert":"\#(text)","mutable-content":1\#(aps)}\#(members)\#(q)}"#
        }
        let button = #"{"identifier":"reply","title":"Reply"}"#
        let crowd = (0..<8).map {
          payload("crowd", nil, #","actions":[\#(button)]"#, aps: #","category":"C\#($0)""#)
        }
        let lines = [
          payload("plain", nil),
          payload("first", 1, #","attachments":[\#(media("photo.jpg", size: photo.count))]"#),
          payload("asks", 4),
          payload("fails", 8, #","attachments":[\#(media("photo.jpg", size: 7))]"#),
          payload("many", 40),
          payload("back", 39),
          payload("buttons", nil, #","actions":[\#(button)]"#, aps: #","category":"NEW""#),
          payload("merged", nil, #","actions":[\#(button)]"#, aps: #","category":"APP""#),
          payload("file", nil, #","actions_url":"\#(server)/actions.json""#, aps: #","category":"FILE""#),
          payload("late", 41, #","attachments":[\#(media("slow.jpg", size: photo.count))]"#) + "\t5000",
          crowd.joined(separator: "\t"),
        ]
        let run = try await Command(program).run(
          input: Array((lines.joined(separator: "\n") + "\n").utf8), environment: ["HOME": folder.path])
        #expect(run.exitStatus == 0, "\(run.standardError)")
        let jpeg = "media jpg \(photo.count) thumbnailHidden=true,typeHint=public.jpeg"
        let all = "APP:reply=Reply,open=Open"
        let many = (0..<8).map { "C\($0):reply=Reply" }.joined(separator: " ")
        #expect(
          run.output.split(separator: "\n").map(String.init) == [
            "plain||APP:open=Open", "first|\(jpeg)|APP:open=Open", "asks||APP:open=Open",
            "fails/3 more messages||APP:open=Open", "many/31 more messages||APP:open=Open",
            "back||APP:open=Open",
            "buttons||APP:open=Open NEW:reply=Reply", "merged||\(all) NEW:reply=Reply",
            "file||\(all) FILE:late=Late NEW:reply=Reply", "late||\(all) FILE:late=Late NEW:reply=Reply",
            "\(all) \(many) FILE:late=Late NEW:reply=Reply",
          ])
      }
    }
    let expected = ["receipt 1", "missed 2", "missed 3", "receipt 40", "receipt 40", "receipt 41"]
    #expect(requests.withLock { $0 } == expected)
  }

  /// - Returns: the path of the program.
  private static func build(for server: URL, in folder: TemporaryDirectory) async throws -> String {
    try await module("UserNotifications", of: "\(standIns)/UserNotifications", in: folder)
    try await module(
      "NotificationExtension", of: "\(Fixtures.root)/Sources/NotificationExtension", in: folder)
    let code = try code().replacing("https://push.example.com", with: "\(server)")
      .replacing("PushExtension(queue: queue)", with: "loopback(PushExtension(queue: queue))")
    try folder.write(Array(code.utf8), to: "NotificationService.swift")
    try await compile(
      ["-I .", "NotificationService.swift", "\(standIns)/Driver.swift", "UserNotifications.o"]
        + ["NotificationExtension.o", "-o driver"], in: folder)
    return folder.path(of: "driver")
  }
}
