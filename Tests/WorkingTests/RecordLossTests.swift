import Glibc
import Queueing
import TestSupport
import Testing

@testable import push_enricher

/// Where the messages are after `enqueue --records`, `dequeue --records` or `records:-` fails.
@Suite("Records that are not lost", .timeLimit(.minutes(10)))
struct RecordLossTests {
  private static let brokers = BrokerKind.products.filter(\.countsLeases)

  private static func messages(_ count: Int) -> [Message] {
    (0..<count).map {
      Message(id: "m\($0)", body: Array("{\"n\": \($0)}".utf8), headers: [Header("apns-topic", "t")])
    }
  }

  private func bash(_ script: String, _ arguments: String..., input: [UInt8] = []) async throws -> Run {
    try await Command("bash").run(
      ["-c", script, PushEnricher.path] + arguments, input: input,
      environment: ["PUSH_ENRICHER_LEASE": "1s"])
  }

  /// Each message in a file of records. The last line may lack its end, because a kill cut it off.
  private func records(in file: String) throws -> [Message] {
    let bytes = try Files.read(file)
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    return try bytes[..<end].split(separator: UInt8(ascii: "\n")).map { try Message(record: Array($0)) }
  }

  /// A limit on the size of files simulates a full disk.
  @Test("if the queue fails, enqueue says which records are not in it, and prints what came through a pipe")
  func failingQueue() async throws {
    try await withWorkplace(.sqlite) { place in
      let messages = (0..<600).map { Message(id: "m\($0)", body: [UInt8](repeating: 0x78, count: 1_000)) }
      let lines = messages.map(\.record)
      let file = try place.folder.write(Array(lines.joined()), to: "records")
      let script = #"trap '' XFSZ; ulimit -f 300; cat "$2" | "$0" enqueue --records --to "$1""#
      let run = try await bash(script, place.url("incoming"), file)
      #expect(run.termination == .exited(69))
      let count = try await place.contents("incoming").count
      #expect(0 < count && count < 600)
      // `cat` was still writing at that time.
      let printed = run.standardOutput.split(separator: UInt8(ascii: "\n")).count
      #expect(run.standardOutput == Array(lines[count...].joined().prefix(run.standardOutput.count)))
      #expect(printed > 0)
      #expect(run.standardError.hasPrefix("push-enricher: --to \(place.url("incoming")): "))
      let end =
        "\(count) payloads are enqueued, and perhaps some of the lines that follow; not enqueued, and on stdout instead: line \(count + 1)-\(count + printed) of stdin\n"
      #expect(run.standardError.hasSuffix(end), "\(run.standardError)")
    }
    try await withWorkplace(.sqlite) { place in
      let lines = (0..<600).map { Message(id: "m\($0)", body: [UInt8](repeating: 0x78, count: 1_000)).record }
      let file = try place.folder.write(Array(lines.joined()), to: "records")
      let script = #"trap '' XFSZ; ulimit -f 300; "$0" enqueue --records --to "$1" "$2""#
      let run = try await bash(script, place.url("incoming"), file)
      #expect(run.termination == .exited(69))
      let count = try await place.contents("incoming").count
      #expect(run.standardOutput.isEmpty)
      let end = "not enqueued: line \(count + 1)-\(count + 100) of \(file), and all lines after that\n"
      #expect(run.standardError.hasSuffix(end), "\(run.standardError)")
    }
  }

  @Test("records that the queue will never take, or does not take now, are printed, and the others are in it")
  func rejected() async throws {
    let result = try #require(
      await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
      ) {
        try await withTemporaryDirectory { folder in
          let lines = ["a", "b", "c", "d"].map { #"{"id":"\#($0)","body":{}}"# }
          let file = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "records")
          let queue = MemoryQueue("rejecting", "x") { message in
            switch message.id {
            case "b": .rejected(Rejection("message-too-large", detail: "too large"))
            case "c": .unavailable("full", after: nil)
            default: .sent
            }
          }
          let sources = try OptionSources(commandLine: [:], environment: [:])
          let target = try QueueChoice(.incoming, option: ("--to", "sqlite:x.db"), in: sources)
          var intake = RecordIntake(queue: queue, target: target, headers: [])
          do throws(CommandError) { try await intake.take(RecordInput(path: file)) } catch {
            Console.line("\(error)".replacing(file, with: "FILE"))
          }
          #expect(try await queue.browse(9).map(\.id) == ["a", "d"])
        }
      })
    let bytes = result.standardOutputContent.split(separator: UInt8(ascii: "\n"))
    #expect(bytes.contains { $0.elementsEqual(#"{"id":"b","body":{}}"#.utf8) })
    let told = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(told.contains(": line 2 cannot be enqueued: too large\n"), "\(told)")
    let end =
      ": full; 2 payloads are enqueued, and perhaps some of the lines that follow; not enqueued: line 3 of FILE, and all lines after that\n"
    #expect(told.contains(end), "\(told)")
  }

  @Test(
    "what dequeue --records cannot print stays in the queue", arguments: BrokerKind.products,
    [
      #""$0" dequeue --records --from "$1" >&-"#,
      #"exec 3> >(true); wait $!; "$0" dequeue --records --from "$1" >&3"#,
    ])
  func brokenOutput(kind: BrokerKind, script: String) async throws {
    try await withWorkplace(kind) { place in
      let messages = Self.messages(5)
      try await place.queue("enriched").publish(messages)
      let run = try await bash(script, place.url("enriched"))
      #expect(run.termination == .exited(74))
      #expect(try await place.contents("enriched") == messages)
    }
  }

  @Test("a message of any length can be taken out and put back") func tooLong() async throws {
    try await withWorkplace(.sqlite) { place in
      let bodies = [[UInt8](repeating: 0xFF, count: 200_000), [UInt8](repeating: 0x22, count: 3_000_000)]
      let messages = bodies.enumerated().map {
        Message(id: "m\($0)", body: $1, headers: [Header("n", "\($0)")])
      }
      try await place.queue("x-too-long").publish(messages)
      let script = #""$0" dequeue --records --from "$1" | "$0" enqueue --records --to "$2""#
      let run = try await bash(script, place.url("x-too-long"), place.url("y-too-long"))
      #expect(run.standardError == "push-enricher: 2 payloads enqueued\n")
      let moved = try #require(try await place.queue("y-too-long").receive(9, waitingUpTo: .zero))
      #expect(moved.map(\.message) == messages)
    }
  }

  @Test("dead-letters replay moves all messages of any queue", arguments: BrokerKind.products)
  func replay(kind: BrokerKind) async throws {
    try await withWorkplace(.sqlite) { source in
      try await withWorkplace(kind) { target in
        let messages = Self.messages(250)
        try await source.queue("enriched").publish(messages)
        let run = try await PushEnricher.run(
          [
            "dead-letters", "replay", "--all", "--from", source.url("enriched"), "--to",
            target.url("incoming"),
          ])
        #expect(run.standardError == "push-enricher: 250 messages replayed\n")
        #expect(try await target.contents("incoming") == messages)
        #expect(try await source.isEmpty("enriched"))
      }
    }
  }

  /// Runs a command with its stdout in a file, and kills it as soon as that has some lines. The shell starts no
  /// process to count them: that may take so long that nothing is left in the queue.
  private func kill(
    after lines: Int, output: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws {
    let script = #"""
      output=$1 lines=$2 seen=0; shift 2
      : > "$output"; exec 3< "$output"
      "$0" "$@" > "$output" 2>/dev/null 3<&- & process=$!
      until [ $seen -ge $lines ]; do
        if read -r <&3; then seen=$((seen + 1)); else kill -0 $process || exit 1; fi
      done
      kill -KILL $process
      wait $process
      """#
    let run = try await Command("bash").run(
      ["-c", script, PushEnricher.path, output, "\(lines)"] + arguments,
      environment: ["PUSH_ENRICHER_LEASE": "1s"])
    #expect(run.termination == .exited(128 + SIGKILL), "\(run.standardError)")
  }

  @Test(
    "what dequeue --records --follow acknowledged before it was killed is in its output", arguments: brokers)
  func killedDequeue(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let messages = Self.messages(2_000)
      try await place.queue("enriched").publish(messages)
      var printed: [Message] = []
      for number in 0..<8 {
        let output = place.folder.path(of: "output-\(number)")
        try await kill(
          after: .random(in: 1...150), output: output,
          ["dequeue", "--records", "--follow", "--from", place.url("enriched")])
        printed += try records(in: output)
        let ids = Set(try await (place.contents("enriched") + printed).map(\.id))
        #expect(ids == Set(messages.map(\.id)), "after kill \(number)")
      }
      #expect(try await place.contents("enriched").count > 0)
      let rest = try await PushEnricher.run(["dequeue", "--records", "--from", place.url("enriched")])
      printed += try rest.standardOutput.split(separator: UInt8(ascii: "\n")).map {
        try Message(record: Array($0))
      }
      #expect(try await place.isEmpty("enriched"))
      let originals = Dictionary(uniqueKeysWithValues: messages.map { ($0.id, $0) })
      #expect(printed.allSatisfy { $0 == originals[$0.id] })
      #expect(Set(printed.map(\.id)).count == messages.count)
      // Each kill repeats one message at most: the one that is printed but not acknowledged yet.
      #expect(printed.count <= messages.count + 8)
    }
  }

  @Test("what work --to records:- acknowledged before it was killed is in its output", arguments: brokers)
  func killedWorker(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let messages = Self.messages(1_000)
      try await place.queue("incoming").publish(messages)
      var printed: [Message] = []
      for number in 0..<6 {
        let output = place.folder.path(of: "output-\(number)")
        let queues = ["work", "--from", place.url("incoming"), "--to", "records:-"]
        try await kill(after: .random(in: 1...60), output: output, queues + place.options)
        printed += try records(in: output)
        let ids = Set(try await (place.contents("incoming") + printed).map(\.id))
        #expect(ids == Set(messages.map(\.id)), "after kill \(number)")
      }
      let rest = try await place.work(["--until-empty"], to: "records:-")
      printed += try rest.standardOutput.split(separator: UInt8(ascii: "\n")).map {
        try Message(record: Array($0))
      }
      let originals = Dictionary(uniqueKeysWithValues: messages.map { ($0.id, $0) })
      #expect(printed.allSatisfy { $0.body == originals[$0.id]?.body && $0.header("apns-topic") == "t" })
      #expect(Set(printed.map(\.id)).count == messages.count)
    }
  }
}
