import Notifications
import Testing

@Suite struct MediaKeyTests {
  @Test(arguments: [
    ("image", ["image"]), ("a.b.c", ["a", "b", "c"]), (#"com\.example.a"#, ["com.example", "a"]),
    (#"a\\.b"#, [#"a\"#, "b"]), ("a.0", ["a", "0"]), ("größe. ", ["größe", " "]),
  ])
  func steps(text: String, steps: [String]) throws {
    let key = try MediaKey(text)
    #expect(key.steps == steps)
    #expect(key.description == text)
  }

  @Test(
    arguments: [
      ("", .empty), (".", .emptyStep(".")), ("a.", .emptyStep("a.")), (".a", .emptyStep(".a")),
      ("a..b", .emptyStep("a..b")),
      (#"a\"#, .unfinishedEscape(#"a\"#)), (#"a\n"#, .unknownEscape(#"a\n"#, "n")),
    ] as [(String, MediaKeyError)])
  func errors(text: String, error: MediaKeyError) {
    #expect(throws: error) { try MediaKey(text) }
  }

  @Test func descriptionsSayWhatWouldBeRight() {
    #expect("\(MediaKeyError.empty)" == "it is empty: write a path like data.image")
    #expect(
      "\(MediaKeyError.emptyStep("a..b"))"
        == #"“a..b”: a name is missing before, between or after dots; write data.image, or data\.image for one name with a dot in it"#
    )
    #expect(
      "\(MediaKeyError.unfinishedEscape(#"a\"#))"
        == #"“a\”: ends with a backslash; write \\ for a backslash in a name"#)
    #expect(
      "\(MediaKeyError.unknownEscape(#"a\n"#, "n"))"
        == #"“a\n”: \n is not an escape; write \. for a dot, \* for an asterisk or \\ for a backslash in a name"#
    )
  }

  @Test(arguments: [
    ("a.b", ["u"]), ("a.list.1", ["w"]), ("a.list", ["v", "w"]), ("a.list.2", []),
    ("a.list.99999999999999999999", []),
    ("a.list.+1", []), ("a.0", ["z"]), ("a.object", ["y"]), ("x", []), (#"a\.b"#, ["t"]), ("a.list.0.x", []),
    ("text.c.0", ["s"]), ("text.c", ["s"]), ("text.d", []), ("a.b.c", []),
    ("data.images", ["p", "q"]), ("data.images.1", ["q"]), ("data.one", ["r"]),
  ])
  func lookUp(key: String, urls: [String]) throws {
    let text =
      #"{"a":{"b":"u","list":["v",{"url":"w"}],"0":"z","object":{"url":"y"}},"a.b":"t","#
      + #""text":"{\"c\":[\"s\"]}","#
      + #""data":{"images":"[\"p\",{\"url\":\"q\"}]","one":"{\"url\":\"r\"}"}}"#
    #expect(try MediaReferenceTests.references(text, key).map(\.url) == urls)
  }
}
