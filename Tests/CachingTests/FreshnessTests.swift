@testable import Caching
import Testing

/// RFC 9111, section 4.2, as a table: the headers of a server, and how long its file may be used
/// without asking again.
@Suite("Freshness")
struct FreshnessTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, in milliseconds.
  static let now: Int64 = 784_111_777_000

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var status = 200
    /// By their names. Several values of one name are separated by line breaks.
    let fields: [String: String]
    /// The duration of the fetch in seconds.
    var took: Int64 = 0
    /// The remaining lifetime in seconds; nil if it must not be kept.
    let rest: Int64?
    var testDescription: String { name }

    var response: Response {
      Response(status: status, fields: fields.mapValues { $0.split(separator: "\n").map { String($0) } })
    }
  }

  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let tenDaysAgo = "Thu, 27 Oct 1994 08:49:37 GMT"

  static let rows = [
    Row(name: "max-age", fields: ["cache-control": "max-age=60", "date": date], rest: 60),
    Row(name: "max-age without a date", fields: ["cache-control": "max-age=60"], rest: 60),
    Row(name: "max-age before Expires", fields: ["cache-control": "max-age=60", "expires": date], rest: 60),
    Row(name: "s-maxage before max-age", fields: ["cache-control": "max-age=60, s-maxage=90"], rest: 90),
    Row(name: "Expires", fields: ["expires": "Sun, 06 Nov 1994 08:59:37 GMT", "date": date], rest: 600),
    Row(name: "Expires of the past", fields: ["expires": tenDaysAgo, "date": date], rest: 0),
    Row(name: "Expires 0", fields: ["expires": "0", "last-modified": tenDaysAgo], rest: 0),
    Row(
      name: "Expires twice, differently",
      fields: ["expires": "Sun, 06 Nov 1994 08:59:37 GMT\nSun, 06 Nov 1994 09:59:37 GMT"], rest: 0),
    Row(name: "an age", fields: ["cache-control": "max-age=60", "age": "20", "date": date], rest: 40),
    Row(name: "an age past it", fields: ["cache-control": "max-age=60", "age": "61"], rest: 0),
    Row(name: "the first of two ages", fields: ["cache-control": "max-age=60", "age": "20, 50"], rest: 40),
    Row(name: "a negative age", fields: ["cache-control": "max-age=60", "age": "-5"], rest: 0),
    Row(
      name: "a huge age", fields: ["cache-control": "max-age=60", "age": "99999999999999999999999"], rest: 0),
    Row(
      name: "a date of the past is an age",
      fields: ["cache-control": "max-age=60", "date": "Sun, 06 Nov 1994 08:49:07 GMT"], rest: 30),
    Row(
      name: "a date of the future is none",
      fields: ["cache-control": "max-age=60", "date": "Sun, 06 Nov 2094 08:49:07 GMT"], rest: 60),
    Row(
      name: "the time on the way counts", fields: ["cache-control": "max-age=60", "age": "20"], took: 15,
      rest: 25
    ),
    Row(name: "huge", fields: ["cache-control": "max-age=4294967296"], rest: 30 * 86_400),
    Row(name: "a tenth of its age", fields: ["last-modified": tenDaysAgo, "date": date], rest: 86_400),
    Row(
      name: "a tenth of an hour", fields: ["last-modified": "Sun, 06 Nov 1994 07:49:37 GMT", "date": date],
      rest: 360),
    Row(
      name: "no more than a day of guessing", fields: ["last-modified": "Thu, 01 Jan 1970 00:00:00 GMT"],
      rest: 86_400),
    Row(name: "changed a moment ago", fields: ["last-modified": date, "date": date], rest: 2),
    Row(name: "changed in the future", fields: ["last-modified": "Sun, 06 Nov 2094 08:49:07 GMT"], rest: 2),
    Row(name: "nothing at all", fields: [:], rest: 2),
    Row(name: "nothing, and slowly", fields: [:], took: 20, rest: 2),
    Row(name: "public", fields: ["cache-control": "public", "last-modified": tenDaysAgo], rest: 86_400),
    Row(name: "no-cache", fields: ["cache-control": "no-cache, max-age=60"], rest: 0),
    Row(name: "Pragma", fields: ["pragma": "no-cache", "last-modified": tenDaysAgo], rest: 0),
    Row(name: "Pragma beside it", fields: ["pragma": "no-cache", "cache-control": "max-age=60"], rest: 60),
    Row(name: "negative", fields: ["cache-control": "max-age=-60", "last-modified": tenDaysAgo], rest: 0),
    Row(name: "said twice", fields: ["cache-control": "max-age=60\nmax-age=90"], rest: 0),
    Row(name: "no-store", fields: ["cache-control": "no-store, max-age=60"], rest: nil),
    Row(name: "private", fields: ["cache-control": "private, max-age=60"], rest: nil),
    Row(
      name: "varies by everything", fields: ["cache-control": "max-age=60", "vary": "accept, *"], rest: nil),
    Row(name: "varies", fields: ["cache-control": "max-age=60", "vary": "Accept-Encoding"], rest: 60),
    Row(name: "203", status: 203, fields: ["cache-control": "max-age=60"], rest: nil),
    Row(name: "404", status: 404, fields: ["cache-control": "max-age=60"], rest: nil),
    Row(name: "304 that nobody asked for", status: 304, fields: ["cache-control": "max-age=60"], rest: nil),
  ]

  @Test("the freshness of a response follows from its headers", arguments: rows)
  func rest(row: Row) {
    let reuse = Reuse(of: [row.response], requested: Self.now - row.took * 1_000, received: Self.now)
    #expect(reuse?.freshness.rest == row.rest.map { $0 * 1_000 })
    #expect(reuse.map { $0.freshness.rest > 0 } == row.rest.map { $0 > 0 })
  }

  /// Responses before one that may be used for an hour.
  static let redirects = [
    Row(name: "permanent", status: 301, fields: ["cache-control": "max-age=60"], rest: 60),
    Row(name: "permanent, of old", status: 308, fields: ["last-modified": tenDaysAgo], rest: 3_600),
    Row(name: "permanent, without a word", status: 301, fields: [:], rest: 2),
    Row(name: "temporary", status: 302, fields: ["cache-control": "max-age=60"], rest: 60),
    Row(name: "temporary, without a word", status: 302, fields: ["last-modified": tenDaysAgo], rest: 0),
    Row(name: "temporary, of the other kind", status: 307, fields: [:], rest: 0),
    Row(name: "to be kept by nobody", status: 301, fields: ["cache-control": "no-store"], rest: nil),
    Row(name: "by everything", status: 301, fields: ["vary": "*"], rest: nil),
  ]

  @Test("the freshness of a redirect chain is that of its least fresh response", arguments: redirects)
  func chain(row: Row) {
    let last = Response(status: 200, fields: ["cache-control": ["max-age=3600"]])
    let redirect = Response(status: 301, fields: last.fields)
    for responses in [[row.response, last], [redirect, row.response, last]] {
      let reuse = Reuse(of: responses, requested: Self.now, received: Self.now)
      #expect(reuse?.freshness.rest == row.rest.map { $0 * 1_000 })
    }
  }

  @Test("without a response there is no freshness") func nothing() {
    #expect(Reuse(of: [], requested: 0, received: 0) == nil)
  }
}
