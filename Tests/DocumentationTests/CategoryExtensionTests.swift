import Foundation
import TestSupport
import Testing

/// The code for an app's extension in the article Categories.
@Suite("The extension in the article about categories", .serialized)
struct CategoryExtensionTests {
  private static func register(_ payload: String) async throws -> UNNotificationCategory {
    let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any] ?? [:]
    let aps = object["aps"] as? [String: Any]
    var content = UNNotificationContent()
    content.categoryIdentifier = aps?["category"] as? String ?? ""
    content.userInfo = object
    try await DocumentationTests.register(content)
    let categories = await UNUserNotificationCenter.current().notificationCategories()
    return try #require(categories.first { $0.identifier == content.categoryIdentifier })
  }

  @Test("is the code that is compiled here") func copy() throws {
    let block = try #require(Documentation.article("Categories").blocks("swift").first)
    let path = "\(Fixtures.root)/Tests/DocumentationTests/Support/CategoryExtension.swift"
    let copy = String(decoding: try Files.read(path), as: UTF8.self)
    #expect(copy.hasSuffix("\n\n\(block)\n"))
  }

  @Test("registers the result of the article's first example") func example() async throws {
    let block = try #require(Documentation.article("Categories").blocks("console").first)
    let result = try #require(block.split(separator: "\n").dropLast().last)
    let category = try await Self.register(String(result))
    #expect(category.identifier.hasPrefix("MESSAGE-"))
    #expect(category.actions.map(\.identifier) == ["reply", "delete"])
    #expect(category.actions.map(\.title) == ["Reply", "DELETE"])
    #expect(category.actions.map { $0.icon?.name } == ["system arrowshape.turn.up.left", nil])
    #expect(category.actions.map(\.options) == [[], [.destructive, .authenticationRequired]])
    let input = try #require(category.actions.first as? UNTextInputNotificationAction)
    #expect(input.textInputButtonTitle == "Send" && input.textInputPlaceholder == "")
  }

  @Test("registers the properties of a category, in the payload or in a file") func properties() async throws
  {
    let list = #"[{"identifier":"a","title-loc-key":"K","title-loc-args":["1"],"icon":{"template":"t"}}]"#
    let more = #""options":["customDismissAction","x"],"categorySummaryFormat":"%u more""#
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array(#"{"actions":\#(list),\#(more)}"#.utf8), to: "a.json")
      for (name, members) in [
        ("A", #""actions":\#(list),"actions_category":{\#(more)}"#),
        ("B", #""actions_url":"file://\#(file)""#),
      ] {
        let category = try await Self.register(#"{"aps":{"category":"\#(name)"},\#(members)}"#)
        #expect(category.actions.map(\.title) == ["K 1"])
        #expect(category.actions.map { $0.icon?.name } == ["template t"])
        #expect(category.options == .customDismissAction)
        #expect(category.categorySummaryFormat == "%u more")
        #expect(category.hiddenPreviewsBodyPlaceholder == nil)
      }
    }
  }
}
