@testable import Caching
import Testing

@Suite("HTTPDate")
struct HTTPDateTests {
  @Test(
    "the three forms of RFC 9110, section 5.6.7, mean the same time",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func forms(text: String) {
    #expect(HTTPDate(text)?.seconds == 784_111_777)
  }

  @Test(
    "times of all kinds survive a round trip",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (1_795_000_000, "Wed, 18 Nov 2026 11:06:40 GMT"),
    ])
  func text(seconds: Int, text: String) throws {
    #expect(try #require(HTTPDate(seconds: Int64(seconds))).text == text)
    #expect(HTTPDate(text)?.seconds == Int64(seconds))
  }

  @Test("every day of four centuries survives a round trip") func days() throws {
    for day in 0..<146_097 {
      let seconds = Int64(day) * 86_400 + 45_296
      let date = try #require(HTTPDate(seconds: seconds))
      if HTTPDate(date.text)?.seconds != seconds { Issue.record("\(date.text)") }
    }
  }

  @Test(
    "a text that is not a date is refused",
    arguments: [
      "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
      "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 1994 8a:49:37 GMT", "Sun, 06 Nov 1994 08:49:٣٧ GMT",
      "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
    ])
  func none(text: String) {
    #expect(HTTPDate(text) == nil)
  }

  @Test("a time beyond all dates has no text") func bounds() {
    #expect(HTTPDate(seconds: .max) == nil)
    #expect(HTTPDate(seconds: .min) == nil)
  }
}
