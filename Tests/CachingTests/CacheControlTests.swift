@testable import Caching
import Testing

@Suite("CacheControl")
struct CacheControlTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let values: [String]
    var forbids = false
    var validates = false
    var lifetime: Int64?
    var testDescription: String { values.joined(separator: " | ") }
  }

  static let rows = [
    Row(values: []), Row(values: [""]), Row(values: [",, ,"]), Row(values: ["public, immutable"]),
    Row(values: ["no-store"], forbids: true), Row(values: ["NO-STORE"], forbids: true),
    Row(values: ["private"], forbids: true), Row(values: [#"private="set-cookie, x""#], forbids: true),
    Row(values: ["no-cache"], validates: true), Row(values: [#"no-cache="a,b", public"#], validates: true),
    Row(values: ["public", "no-store"], forbids: true),
    Row(values: ["max-age=60"], lifetime: 60),
    Row(values: ["Max-Age = 60"], lifetime: 60),
    Row(values: [#"max-age="60""#], lifetime: 60),
    Row(values: ["max-age=60, s-maxage=5"], lifetime: 5),
    Row(values: ["s-maxage=5, max-age=60"], lifetime: 5),
    Row(values: ["max-age=0, must-revalidate"], lifetime: 0),
    Row(values: ["max-age=99999999999999999999"], lifetime: 1 << 31),
    Row(values: ["max-age=-1"], lifetime: 0), Row(values: ["max-age"], lifetime: 0),
    Row(values: ["max-age="], lifetime: 0), Row(values: ["max-age=1.5"], lifetime: 0),
    Row(values: ["max-age=٣"], lifetime: 0), Row(values: [#"max-age=""#], lifetime: 0),
    Row(values: ["max-age=60, max-age=60"], lifetime: 0),
    Row(values: ["max-age=60", "max-age=90"], lifetime: 0),
    Row(values: ["s-maxage=x, max-age=60"], lifetime: 0),
    // Text in quotes is not a directive, even if the quotes are not closed.
    Row(values: [#"x="no-store, max-age=3", max-age=60"#], lifetime: 60),
    Row(values: [#"x="a\", no-store", max-age=60"#], lifetime: 60),
    Row(values: [#"x="no-store"#]),
  ]

  @Test("Cache-Control is read as a shared cache has to", arguments: rows) func read(row: Row) {
    let control = CacheControl(row.values)
    #expect(control.forbidsStoring == row.forbids)
    #expect(control.demandsValidation == row.validates)
    #expect(control.lifetime == row.lifetime)
  }
}
