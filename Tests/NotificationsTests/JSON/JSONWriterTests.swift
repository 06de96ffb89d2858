import Notifications
import Testing

@Suite struct JSONWriterTests {
  @Test func nested() {
    var writer = JSONWriter()
    writer.object {
      $0.member("a", 1)
      $0.member("left out", nil as Int?)
      $0.name("b")
      $0.array {
        $0.array { _ in }
        $0.write("x")
        $0.write(false)
        $0.raw("null".utf8)
        $0.raw(" {} ".utf8)
        $0.object { $0.member("c", 0.5) }
      }
      $0.member("d", true)
    }
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"a":1,"b":[[],"x",false,null, {} ,{"c":0.5}],"d":true}"#)
  }

  @Test(arguments: [
    ("https://a/b?c=d", #""https://a/b?c=d""#), ("Grüße 😀", "\"Grüße 😀\""), ("\"\\", #""\"\\""#),
    ("\u{8}\u{9}\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1F}\u{10}\u{F}", #""\u0000\u001f\u0010\u000f""#),
    ("\u{7F}", "\"\u{7F}\""),
  ])
  func strings(text: String, spelling: String) throws {
    #expect(json(text) == spelling)
    #expect(try JSONDocument(Array(spelling.utf8)).root.string == text)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
      (.infinity, "null"), (.nan, "null"),
      (100_000, "100000"),
    ] as [(Double, String)])
  func doubles(number: Double, spelling: String) throws {
    #expect(json(number) == spelling)
    if number.isFinite { #expect(try JSONDocument(Array(spelling.utf8)).root.number == number) }
  }

  @Test func integers() {
    #expect(json(Int.min) == "-9223372036854775808")
  }
}
