import Testing

@testable import Notifications

@Suite("Dialects by what is in a payload")
struct DialectTableTests {
  private static let table: DialectTable = [
    Dialect(name: "top", locations: [.object([], url: "url")]),
    Dialect(name: "members", locations: [.text(["a"]), .text([.members])]),
    Dialect(name: "two", locations: [.text(["b", "c"]), .text(["a", .each])]),
  ]

  @Test(
    "in their order, with those that may be anywhere",
    arguments: [
      ([], ["members"]), (["a", "z"], ["members", "two"]), (["b", "url"], ["top", "members", "two"]),
    ]
      as [(Set<String>, [String])])
  func rows(names: Set<String>, dialects: [String]) {
    #expect(Self.table.rows(for: names).map(\.name) == dialects)
  }
}
