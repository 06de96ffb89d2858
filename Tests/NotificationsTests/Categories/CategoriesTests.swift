import TestSupport
import Testing

@testable import Notifications

@Suite("Categories of a file") struct CategoriesTests {
  private static let reply = #"{"identifier":"reply","title":"Reply"}"#
  private static let text = "a string of 1 to 1000 bytes"

  /// Files with a mistake, and the message about it.
  static let mistakes: [(file: String, says: String)] = [
    (
      "{\n  \"M\": [\n    {]\n",
      "line 3, column 6 (byte 16): found “]”, expected a member name in double quotes or “}”"
    ),
    (
      "[]",
      "line 1, column 1 (byte 0): the file is not an object of categories"
    ),
    (#"{"M":1}"#, "line 1, column 6 (byte 5): M is not an object or a list of actions"),
    (#"{"M":{}}"#, "line 1, column 6 (byte 5): M has no actions: add actions"),
    (
      #"{"M":{"actions":{}}}"#,
      "line 1, column 17 (byte 16): M.actions is not a list of actions"
    ),
    ("{\"M\":[\n{\"title\":\"a\"}]}", "line 2, column 1 (byte 7): M.0 has no identifier: add identifier"),
    (
      "{\"M\":[\n{\"identifier\":\"a\"}]}",
      "line 2, column 1 (byte 7): M.0 has no title or title-loc-key: add title or title-loc-key"
    ),
    (
      #"{"M":[{"identifier":"a","title":"b","title-loc-key":"c"}]}"#,
      "line 1, column 7 (byte 6): M.0 has more than one of title, title-loc-key: keep one"
    ),
    (
      #"{"M":[{"identifier":"a","title":""}]}"#,
      "line 1, column 33 (byte 32): M.0.title is not \(text)"
    ),
    (
      #"{"M":[{"identifier":"a","titel":"b"}]}"#,
      "line 1, column 25 (byte 24): M.0.titel is unknown: write identifier, title, title-loc-key, title-loc-args, icon, options or textInput"
    ),
    (
      #"{"M":[{"identifier":"a","title":"b","options":["destuctive"]}]}"#,
      "line 1, column 48 (byte 47): M.0.options has the unknown option 'destuctive': write foreground, destructive or authenticationRequired"
    ),
    (
      #"{"M":[{"identifier":"a","title":"b","options":["destructive"],"textInput":{"buttonTitle":"c"}}]}"#,
      "line 1, column 47 (byte 46): M.0 is destructive and asks for text: leave out destructive or textInput"
    ),
    (
      #"{"M":[{"identifier":"a","title":"b","icon":{}}]}"#,
      "line 1, column 44 (byte 43): M.0.icon has no system or template: add system or template"
    ),
    (
      "{\"M\":[\(reply),\n\(reply)]}",
      "line 2, column 15 (byte 60): M.1 has the identifier 'reply' of an action before it: give each action its own"
    ),
    (#"{"M":[],"M":[]}"#, "line 1, column 9 (byte 8): M appears twice: remove one"),
  ]

  @Test("with a mistake say the line and what would be right", arguments: mistakes)
  func mistake(file: String, says: String) {
    let error = #expect(throws: CategoriesError.self) { try Categories(Array(file.utf8)) }
    #expect(error.map { "\($0)" } == says)
  }

  @Test("may have ten actions") func most() throws {
    func file(_ count: Int) -> [UInt8] {
      Array(
        "{\"M\":[\((0..<count).map { #"{"identifier":"\#($0)","title":"b"}"# }.joined(separator: ","))]}".utf8
      )
    }
    _ = try Categories(file(10))
    let error = #expect(throws: CategoriesError.self) { try Categories(file(11)) }
    #expect(
      error.map {
        "\($0)".hasSuffix("M.10 is one more than the 10 actions that iOS shows: remove it, or another")
      } == true)
  }

  private func result(_ payload: String, _ file: String, linking url: String? = nil) throws -> String? {
    let payload = try #require(PushMessage(Array(payload.utf8)).payloads.first)
    guard case .addition(let addition) = payload.match(in: try Categories(Array(file.utf8))) else {
      return nil
    }
    let edits = addition.edits(after: [], linking: url)
    let added = payload.appending(addition.members(linking: url), after: edits)
    return String(decoding: try payload.applying(edits + added), as: UTF8.self)
  }

  @Test("go into a payload that names one, and nothing else of it changes") func added() throws {
    let file =
      #"{"$schema":"x","M":{"actions":[ {"identifier":"reply", "title":"\u0041"} ],"options":["allowInCarPlay"]}}"#
    let result = try #require(try result(#"{ "aps":{"category":"M" ,"n":1.0} , "x":[ ] }"#, file))
    let suffix = try #require(result.firstMatch(of: #/"M-([0-9a-f]{8})"/#)).output.1
    #expect(
      result
        == #"{ "aps":{"category":"M-\#(suffix)" ,"n":1.0} , "x":[ ],"actions":[{"identifier":"reply","title":"A"}],"actions_category":{"options":["allowInCarPlay"]} }"#
    )
    #expect(
      try self.result(#"{"aps":{"category":"M"}}"#, file, linking: "https://a/b")
        == #"{"aps":{"category":"M-\#(suffix)"},"actions_url":"https://a/b"}"#)
  }

  @Test("have another identifier with other actions, and the same with the same") func suffix() throws {
    let payload = #"{"aps":{"category":"M"}}"#
    let own = #"{"aps":{"category":"M"},"actions":[{"identifier":"reply","title":"Answer"}]}"#
    let (a, b) = (#"{"M":[\#(Self.reply)]}"#, #"{"M":[{"identifier":"reply","title":"Re"}]}"#)
    func name(_ text: String?) -> String? {
      text?.firstMatch(of: #/"(M-[^"]+)"/#).map { String($0.output.1) }
    }
    let names = [name(try result(payload, a)), name(try result(payload, b)), name(try result(own, a))]
    #expect(Set(names).count == 3 && !names.contains(nil))
    #expect(name(try result(payload, "{ \"M\" : [ \(Self.reply) ] }")) == names[0])
  }

  @Test(
    "add what a payload does not bring itself",
    arguments: [
      (#"[ ]"#, #"[{"identifier":"reply","title":"Reply"} ]"#),
      (#"[{"identifier":"x"} ]"#, #"[{"identifier":"x"},{"identifier":"reply","title":"Reply"} ]"#),
      (#"[{"identifier":"r\u0065ply"}]"#, #"[{"identifier":"r\u0065ply"}]"#),
      ("[0,1,2,3,4,5,6,7,8,9]", "[0,1,2,3,4,5,6,7,8,9]"),
    ])
  func merged(own: String, expected: String) throws {
    let result = try #require(
      try result(#"{"aps":{"category":"M"},"actions":\#(own)}"#, #"{"M":[\#(Self.reply)]}"#))
    #expect(result.hasSuffix(#""},"actions":\#(expected)}"#), "\(result)")
  }

  @Test(
    "leave other payloads alone",
    arguments: [
      #"{"aps":{}}"#, #"{"aps":{"category":"N"}}"#, #"{"aps":{"category":1}}"#,
      #"{"aps":{"category":"M"},"actions":{}}"#,
      #"{"aps":{"category":"M"},"actions_url":"x"}"#,
    ])
  func alone(payload: String) throws { #expect(try result(payload, #"{"M":[\#(Self.reply)]}"#) == nil) }

  @Test(
    "without actions keep their name, but may have other properties",
    arguments: [
      (#"{"M":[]}"#, "", nil), (#"{"M":{"actions":[]}}"#, #","actions":[]"#, nil),
      (
        #"{"M":{"actions":[],"options":["allowInCarPlay"]}}"#, "",
        #","actions":[],"actions_category":{"options":["allowInCarPlay"]}"#
      ),
      (#"{"M":{"actions":[],"options":["allowInCarPlay"]}}"#, #","actions_category":1"#, nil),
    ])
  func empty(file: String, own: String, added: String?) throws {
    let result = try result(#"{"aps":{"category":"M"}\#(own)}"#, file)
    #expect(result?.hasSuffix(#""}\#(added ?? "")}"#) == added.map { _ in true }, "\(result ?? "")")
    let payload = try Payload(Array(#"{"aps":{"category":"M"}\#(own)}"#.utf8))
    guard added == nil, case .nothing(let refusal) = payload.match(in: try Categories(Array(file.utf8)))
    else {
      return
    }
    #expect(refusal == "the category 'M' has no actions: it keeps its name")
  }

  /// The message and the result. `M-` stands for the new identifier, and `A` for the list of actions.
  @Test(
    "go where a service has its custom data, and its category is where the service has it",
    arguments: [
      (
        #"{"to":"t","title":"x","mutableContent":true,"categoryId":"M"}"#,
        #"{"to":"t","title":"x","mutableContent":true,"categoryId":"M-","data":{"actions":A}}"#
      ),
      (
        #"{"to":"t","title":"x","categoryId":"M","data":{"n":1}}"#,
        #"{"to":"t","title":"x","categoryId":"M-","data":{"n":1,"actions":A}}"#
      ),
      (
        #"{"app_id":"a","contents":{"en":"x"},"ios_category":"M","data":null}"#,
        #"{"app_id":"a","contents":{"en":"x"},"ios_category":"M-","data":{"actions":A}}"#
      ),
      (
        #"{"audience":"all","notification":{"alert":"x","ios":{"category":"M","extra":{}}}}"#,
        #"{"audience":"all","notification":{"alert":"x","ios":{"category":"M-","extra":{"actions":A}}}}"#
      ),
      (
        #"{"audience":"all","notification":{"alert":"x","ios":{"category":"M"}}}"#,
        #"{"audience":"all","notification":{"alert":"x","ios":{"category":"M-","extra":{"actions":A}}}}"#
      ),
      (
        #"{"notifications":[{"platform":1,"message":"x","category":"M","data":{"a":{}}}]}"#,
        #"{"notifications":[{"platform":1,"message":"x","category":"M-","data":{"a":{},"actions":A}}]}"#
      ),
      (
        #"{"message":{"token":"t","apns":{"payload":{"aps":{"category":"M"}}}}}"#,
        #"{"message":{"token":"t","apns":{"payload":{"aps":{"category":"M-"},"actions":A}}}}"#
      ),
      (
        #"{"APNS":"{\"aps\":{\"category\":\"M\"}}"}"#,
        #"{"APNS":"{\"aps\":{\"category\":\"M-\"},\"actions\":A}"}"#
      ),
    ])
  func envelopes(message: String, expected: String) throws {
    let file = #"{"M":[\#(Self.reply)]}"#
    let result = try #require(try result(message, file))
    let list = "[\(Self.reply)]"
    let plain = [list, list.replacing("\"", with: #"\""#)].reduce(result) { $0.replacing($1, with: "A") }
    #expect(plain.replacing(#/M-[0-9a-f]{8}/#, with: "M-") == expected)
    let linked = try #require(try self.result(message, file, linking: "https://a/b"))
    #expect(linked.contains("actions_url") && !linked.contains("Reply"))
  }

  @Test("a payload's own actions are checked as iOS would") func own() throws {
    let payload = try Payload(
      Array(
        #"{"actions":[{"identifier":"a","title":"b","uri":1,"options":["x"]},{"identifier":"a","title":"b"},1]}"#
          .utf8))
    #expect(
      payload.actionFindings == [
        "actions.0.options has the unknown option 'x': iOS drops it",
        "actions.1 has the identifier 'a' of an action before it: iOS drops it",
        "actions.2 is not an object: iOS cannot make a button from it",
      ])
    let many = try Payload(
      Array("{\"actions\":[\([String](repeating: "{}", count: 16_000).joined(separator: ","))]}".utf8))
    #expect(many.actionFindings.count == 12)
  }

  @Test("damaged in any way are read, or refused with words") func damaged() throws {
    let file = Array(
      #"{"M":{"actions":[{"identifier":"a","title":"b","icon":{"system":"c"},"options":["foreground"]}]}}"#
        .utf8)
    var generator = SeededGenerator(seed: 53)
    for _ in 0..<5_000 {
      var bytes = file
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
          in: 0x20...0x7E, using: &generator)
      }
      do throws(CategoriesError) { _ = try Categories(bytes) } catch { #expect(!"\(error)".isEmpty) }
    }
  }

  @Test("the published schema has all members and options, and no others") func schema() throws {
    let schema = try JSONDocument(
      Files.read("\(Fixtures.root)/\(Documentation.folder)/categories.schema.json")
    ).root
    for (name, rows) in [("category", CategoryMember.category), ("action", CategoryMember.action)] {
      let members = try #require(schema["$defs"]?[name]?["properties"])
      #expect(members.members.map(\.name) == rows.map(\.name))
      for row in rows {
        guard case .options(let known) = row.value else { continue }
        #expect(members[row.name]?["items"]?["enum"]?.elements.compactMap(\.string) == known)
      }
    }
  }
}
