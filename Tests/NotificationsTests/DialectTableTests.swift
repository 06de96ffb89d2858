import Testing

@testable import Notifications

@Suite("Dialects that match a payload")
struct DialectTableTests {
  private static let table: DialectTable = [
    Dialect(name: "top", locations: [.object([], url: "url")]),
    Dialect(name: "members", locations: [.text(["a"]), .text([.members])]),
    Dialect(name: "two", locations: [.text(["b", "c"]), .text(["a", .each])]),
  ]

  @Test(
    "come in their order, with the ones that may be anywhere",
    arguments: [
      ([], ["members"]), (["a", "z"], ["members", "two"]), (["b", "url"], ["top", "members", "two"]),
    ]
      as [([String], [String])])
  func rows(names: [String], dialects: [String]) {
    var found: [String] = []
    Self.table.forEachRow(for: names) { found.append($0.name) }
    #expect(found == dialects)
  }
}
