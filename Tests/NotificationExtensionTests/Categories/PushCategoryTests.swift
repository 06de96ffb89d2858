import Foundation
import Notifications
import Serving
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("Categories that pushes bring", .timeLimit(.minutes(5))) struct PushCategoryTests {
  private static func category(_ members: String, _ identifier: String = "M") throws -> PushCategory? {
    let payload = try userInfo("{\"aps\":{}\(members.isEmpty ? "" : ",")\(members)}")
    guard case .payload(let category)? = PushCategory.source(in: payload, identifier: identifier) else {
      return nil
    }
    return category
  }

  private static func action(_ name: String, title: String? = nil) -> String {
    #"{"identifier":"\#(name)","title":"\#(title ?? name.uppercased())"}"#
  }

  private static func actions(_ names: String) -> String {
    #""actions":[\#(names.map { action(String($0)) }.joined(separator: ","))]"#
  }

  private static func names(_ category: PushCategory?) -> String? {
    category?.actions.map(\.identifier).joined()
  }

  /// The extension has to read what push-enricher writes.
  @Test("are read as push-enricher writes them") func written() throws {
    let file = #"""
      {"M":{"actions":[
        {"identifier":"reply","title":"Reply","icon":{"system":"arrow"},"textInput":{"buttonTitle":"Send"}},
        {"identifier":"delete","title-loc-key":"DELETE","title-loc-args":["1"],"icon":{"template":"bin"},
         "options":["destructive","authenticationRequired","foreground"]}],
       "options":["customDismissAction","allowInCarPlay","hiddenPreviewsShowTitle","hiddenPreviewsShowSubtitle",
         "allowAnnouncement"],
       "hiddenPreviewsBodyPlaceholder":"A message","categorySummaryFormat":"%u more"}}
      """#
    let sent = try Payload(Array(#"{"aps":{"alert":"a","category":"M","mutable-content":1}}"#.utf8))
    guard case .addition(let addition) = sent.match(in: try Categories(Array(file.utf8))) else {
      Issue.record("nothing is added")
      return
    }
    let edits = addition.edits(after: [], linking: nil) + sent.appending(addition.members(linking: nil))
    let payload = try userInfo(String(decoding: try sent.applying(edits), as: UTF8.self))
    let name = try #require((payload["aps"] as? [String: Any])?["category"] as? String)
    let source = PushCategory.source(in: payload, identifier: name)
    guard case .payload(let category)? = source else {
      Issue.record("\(payload)")
      return
    }
    #expect(category.identifier.hasPrefix("M-"))
    #expect(
      category.actions == [
        PushAction(
          identifier: "reply", title: .text("Reply"), icon: .system("arrow"), options: [],
          textInput: PushAction.TextInput(buttonTitle: "Send", placeholder: "")),
        PushAction(
          identifier: "delete", title: .localized(key: "DELETE", arguments: ["1"]), icon: .template("bin"),
          options: [.destructive, .authenticationRequired, .foreground], textInput: nil),
      ])
    #expect(
      category.options
        == [.customDismissAction, .allowInCarPlay, .hiddenPreviewsShowTitle, .hiddenPreviewsShowSubtitle])
    #expect(
      category.hiddenPreviewsBodyPlaceholder == "A message" && category.categorySummaryFormat == "%u more")
    // The file behind `actions_url` has the same category.
    let members = try JSONDecoder().decode(PushCategory.Members.self, from: Data(addition.file))
    #expect(PushCategory(members, identifier: name) == category)
  }

  @Test(
    "have the actions that iOS would show",
    arguments: [
      (actions("ab"), "ab"), (actions("abcdefghijkl"), "abcdefghij"), (actions("aba"), "ab"),
      (#""actions":[7,null,{"identifier":"a"},{"title":"B"},\#(action("")),\#(action("c"))]"#, "c"),
      (
        #""actions":[{"identifier":"a","title":7}],"actions_category":{"options":["x","customDismissAction"]}"#,
        ""
      ),
      (#""actions_category":{"categorySummaryFormat":"x"}"#, ""),
      ("", nil), (#""actions":[]"#, nil), (#""actions":{}"#, nil), (#""actions":7"#, nil),
      (#""actions_category":7"#, nil), (#""actions_category":{"options":7}"#, nil),
      (#""actions":null,"actions_category":{"options":["x"]}"#, nil),
    ] as [(String, String?)])
  func dropped(members: String, names: String?) throws {
    let category = try Self.category(members)
    #expect(Self.names(category) == names)
    #expect(try Self.category(members, "") == nil)
  }

  @Test("drop what iOS drops of an action") func options() throws {
    let action = #"{"identifier":"a","title":"A","options":["destructive","x",7],"icon":7,"textInput":{}}"#
    let category = try Self.category(#""actions":[\#(action)]"#)
    #expect(
      category?.actions == [
        PushAction(
          identifier: "a", title: .text("A"), icon: nil, options: [],
          textInput: PushAction.TextInput(buttonTitle: "", placeholder: ""))
      ])
  }

  @Test("leave the app's other categories, and merge actions by their identifiers") func merge() throws {
    let own = try ["N", "M", "O"].compactMap { try Self.category(Self.actions("abc"), $0) }
    let list = #""actions":[\#(Self.action("b", title: "New")),\#(Self.action("d"))]"#
    let new = try #require(try Self.category(list))
    let merged = own.merged(with: new)
    #expect(merged.map(\.identifier) == ["N", "O", "M"])
    #expect(Array(merged.prefix(2)) == [own[0], own[2]])
    #expect(Self.names(merged.last) == "bdac")
    #expect(merged.last?.actions.first?.title == .text("New"))
    #expect(merged.merged(with: new) == merged)
    #expect([].merged(with: new) == [new])
    let many = try #require(try Self.category(Self.actions("defghijk")))
    #expect(Self.names(own.merged(with: many).last) == "defghijkab")
  }

  @Test("keep the app's other members unless the push has its own") func members() throws {
    let own = try #require(
      try Self.category(
        #""actions_category":{"options":["allowInCarPlay"],"categorySummaryFormat":"s","hiddenPreviewsBodyPlaceholder":"p"}"#
      ))
    let actions = try #require(try Self.category(Self.actions("a")))
    let same = try #require([own].merged(with: actions).first)
    #expect(same.options == [.allowInCarPlay] && same.categorySummaryFormat == "s")
    #expect(same.hiddenPreviewsBodyPlaceholder == "p")
    let more = #""actions_category":{"options":["customDismissAction"],"categorySummaryFormat":"t"}"#
    let properties = try #require(try Self.category(more))
    let other = try #require([own].merged(with: properties).first)
    #expect(other.options == [.customDismissAction] && other.categorySummaryFormat == "t")
  }

  @Test("may be in a file") func file() async throws {
    let files: [(String, String?)] = [
      ("{\(Self.actions("ab"))}", "ab"), ("{}", nil), ("[]", nil), ("<html>", nil), (#"{"actions":7}"#, nil),
      ("{\(Self.actions("a"))}" + String(repeating: " ", count: 300_000), nil),
    ]
    let routes = files.enumerated().map { index, file in
      Route("/\(index)") { _ in Response(Array(file.0.utf8), as: "application/json") }
    }
    try await withServer(routes) { server in
      var urls = files.enumerated().map { ("\(server)/\($0)", $1.1) }
      urls += [("\(server)/missing", nil), ("file:///etc/passwd", nil), ("", nil)]
      for (url, expected) in urls {
        let names = try await Self.names(at: url, schemes: ["http"])
        #expect(names == expected, "\(url)")
      }
      let refused = try await Self.names(at: "\(server)/0", schemes: ["https"])
      #expect(refused == nil)
    }
  }

  private static func names(at url: String, schemes: Set<String>) async throws -> String? {
    let payload = try userInfo(#"{"actions_url":"\#(url)",\#(actions("z"))}"#)
    let source = try #require(PushCategory.source(in: payload, identifier: "M"))
    return names(await PushCategory.load(source, identifier: "M", schemes: schemes))
  }
}
