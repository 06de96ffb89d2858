import Glibc
import Notifications
import Queueing
import TestSupport
import Testing

/// Messages as lines of JSON, with their ids and headers.
@Suite("Records", .timeLimit(.minutes(5)))
struct RecordTests {
  /// Messages with all kinds of bodies and headers that queues must keep.
  private static let messages: [Message] = {
    var random = SeededGenerator(seed: 3)
    let bodies = [
      #"{"aps":{"alert":"a\u00e9\ud800","n":1.0e2, "n":2}}"#, "{}\n", " {}", "{\r\n\t}", "", "no JSON",
      "\u{0}é🎉", "[1]",
    ].map { Array($0.utf8) }
    let others = (0..<40).map { number in
      (0..<number * 11).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    return (bodies + others + [[UInt8](repeating: 0, count: MessageLimits.maximumBodySize)]).enumerated().map
    { number, body in
      let headers = [
        Header("apns-topic", "com.example"), Header("x", "\(UInt64.random(in: 0...(.max), using: &random))"),
        Header("x", ""), Header("token", String(repeating: "0f", count: number * 20)),
        Header("id", "\"quoted\" \\ \n\t\u{1}"), Header("body", "é e\u{301} 🎉"), Header("x", "last"),
        Header("Ünï code", "1"),
      ]
      return Message(id: "Ünï \"\(number)\"", body: body, headers: Array(headers.suffix(number % 9)))
    }
  }()

  @Test(
    "move messages from one queue to another, with id, headers and body byte for byte",
    arguments: BrokerKind.products, BrokerKind.products)
  func move(from kind: BrokerKind, to other: BrokerKind) async throws {
    try await withWorkplace(kind) { source in
      try await withWorkplace(other) { target in
        try await source.queue("enriched").publish(Self.messages)
        let before = try await source.contents("enriched")
        #expect(before.map(\.body) == Self.messages.map(\.body))
        let run = try await Command("bash").run([
          "-c", #""$0" dequeue --records --from "$1" | "$0" enqueue --records --to "$2""#, PushEnricher.path,
          source.url("enriched"), target.url("incoming"),
        ])
        #expect(run.standardError == "push-enricher: \(Self.messages.count) payloads enqueued\n")
        #expect(run.standardOutput.isEmpty)
        #expect(try await source.isEmpty("enriched"))
        let after = try await target.contents("incoming")
        #expect(
          after.map { Bytes($0, sorted: !other.keepsHeaderOrder) }
            == before.map { Bytes($0, sorted: !other.keepsHeaderOrder) })
      }
    }
  }

  @Test("come from files and from stdin, and a header goes to those that do not have it") func files()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let file = try place.folder.write(
        Array(
          "{\"id\":\"a\",\"body\":{\"n\": 1}}\n\n{\"id\":\"b\",\"headers\":{\"t\":\"own\"},\"body\":\"x\"}"
            .utf8),
        to: "records.jsonl")
      let run = try await PushEnricher.run(
        ["enqueue", "--records", "--header", "t=1", "--to", place.url("incoming"), file, "-"],
        input: Array(#"{"body":"AP8=","encoding":"base64"}"#.utf8))
      #expect(run.termination == .exited(0))
      #expect(run.standardError == "push-enricher: 3 payloads enqueued\n")
      let messages = try await place.contents("incoming")
      #expect(messages.prefix(2).map(\.id) == ["a", "b"])
      #expect(messages.map(\.body) == [Array(#"{"n": 1}"#.utf8), Array("x".utf8), [0, 255]])
      #expect(messages.map(\.headers) == ["1", "own", "1"].map { [Header("t", $0)] })
      for (path, fault) in [
        ("\(file).old", "No such file or directory"), (place.folder.path, "Is a directory"),
      ] {
        let unreadable = try await PushEnricher.run(
          ["enqueue", "--records", "--to", place.url("incoming"), file, path])
        #expect(unreadable.termination == .exited(64))
        #expect(unreadable.standardError == "push-enricher: \(path): \(fault)\n")
      }
      #expect(try await place.contents("incoming").count == 3)
    }
  }

  @Test(
    "a line that is not one is reported and printed, and the others are enqueued",
    arguments: BrokerKind.products)
  func badLines(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let long = String(repeating: " ", count: 16_777_206)
      let bad = [#"{"aps":{}}"#, #"{"body":{},"id":1}"#, #"{"body":{}\#(long)}"#]
      let good = (0..<150).map { #"{"id":"m\#($0)","body":{}}"# }
      let lines = [bad[0]] + good.prefix(120) + [bad[1], "", bad[2]] + good.dropFirst(120)
      let run = try await PushEnricher.run(
        ["enqueue", "--records", "--to", place.url("incoming")],
        input: Array(lines.joined(separator: "\n").utf8))
      #expect(run.termination == .exited(65))
      #expect(
        run.standardError.split(separator: "\n") == [
          "push-enricher: stdin: line 1 is not a record: \(RecordError.unknownMember("aps"))",
          "push-enricher: stdin: line 122 is not a record: \(RecordError.wrongKind("id", .number, expected: "a string"))",
          "push-enricher: stdin: line 124 is not a record: it is longer than 16 MiB; write a shorter body or fewer headers",
          "push-enricher: 3 lines were not enqueued. They are on stdout: correct them and enqueue them again. 150 messages were enqueued.",
        ])
      #expect(run.output == bad.map { "\($0)\n" }.joined())
      #expect(try await place.contents("incoming").map(\.id) == (0..<150).map { "m\($0)" })
    }
  }

  @Test("go through a worker with their headers, and what is not one goes to the dead letters") func work()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let lines = [
        #"{"id":"a","headers":{"apns-topic":"t","x":["1","2"]},"body":{"aps":{ }}}"#,
        #"{"aps":{"alert":"a"}}"#, #"{"id":"c","body":"no payload"}"#,
      ]
      let run = try await place.work(
        [], from: "records:-", to: "records:-", input: Array(lines.joined(separator: "\n").utf8))
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try run.standardOutput.split(separator: 0x0A).map { try Message(record: Array($0)) }
      #expect(results.map(\.body) == [#"{"aps":{ }}"#, lines[1], "no payload"].map { Array($0.utf8) })
      #expect(results[0].id == "a")
      #expect(
        results[0].headers.prefix(4)
          == [
            Header("apns-topic", "t"), Header("x", "1"), Header("x", "2"),
            Header("enrich-outcome", "unmodified"),
          ])
      let letters = try await place.contents("dead-letters")
      #expect(letters.map(\.body) == results.dropFirst().map(\.body))
      #expect(letters.map { $0.header("enrich-reason") } == ["invalid-payload", "invalid-payload"])
      let fault = "line 2 is not a record: \(RecordError.unknownMember("aps"))"
      #expect(letters.map { $0.header("record-error") } == [fault, nil])
      #expect(run.standardError.contains(fault))
      #expect(!run.standardError.contains("password"))
    }
  }

  @Test("without them, dequeue says once that headers are not printed", arguments: [true, false])
  func hidden(isResult: Bool) async throws {
    try await withWorkplace(.sqlite) { place in
      let headers = [Header("enrich-outcome", "enriched")] + (isResult ? [] : [Header("apns-topic", "t")])
      try await place.queue("enriched").publish(
        (0..<3).map { Message(id: "m\($0)", body: [0x61], headers: headers) })
      let run = try await PushEnricher.run(["dequeue", "--from", place.url("enriched")])
      #expect(run.termination == .exited(0))
      #expect(run.output == "a\na\na\n")
      let notice =
        "push-enricher: messages have headers that are not printed, like apns-topic: dequeue --records prints them\n"
      #expect(run.standardError == (isResult ? "" : notice))
    }
  }
}

/// A message to compare byte for byte: equal strings may have other bytes.
private struct Bytes: Equatable {
  let id, body: [UInt8]
  let headers: [[[UInt8]]]

  /// - Parameter sorted: by name, as quorum queues do. Headers of the same name keep their order.
  init(_ message: Message, sorted: Bool) {
    (id, body) = (Array(message.id.utf8), message.body)
    let all = message.headers.map { [Array($0.name.utf8), Array($0.value.utf8)] }
    let names = Set(all.map { $0[0] }).sorted { $0.lexicographicallyPrecedes($1) }
    headers = sorted ? names.flatMap { name in all.filter { $0[0] == name } } : all
  }
}
