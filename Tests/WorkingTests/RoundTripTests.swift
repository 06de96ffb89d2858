import Misbehaving
import Queueing
import TestSupport
import Testing

/// `enqueue`, `work` and `dequeue`, run in this order as users do.
@Suite("Round trip", .timeLimit(.minutes(10)))
struct RoundTripTests {
  @Test(
    "each of 200 payloads of all sorts comes out once, with the expected outcome",
    arguments: BrokerKind.products)
  func mixed(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.mixed(200, place.server)
      try await place.publish(errands)

      let work = try await place.work(["--until-empty"])
      #expect(work.termination == .exited(0), "\(work.standardError)")
      let lines = work.standardError.split(separator: "\n")
      #expect(lines.first?.contains(#""message":"sandbox""#) == true)
      let log = lines.filter { $0.contains(#""outcome":"#) }
      #expect(log.count == 200)
      #expect(log.allSatisfy { $0.hasPrefix(#"{"time":"20"#) && $0.contains(#""elapsed_ms":""#) })

      let results = try await place.contents("enriched")
      expectEach(of: errands, once: results)
      #expect(try await place.isEmpty("incoming"))
      expectEach(of: errands.filter(\.isDeadLetter), once: try await place.contents("dead-letters"))

      let dequeue = try await PushEnricher.run(["dequeue", "--from", place.url("enriched")])
      #expect(dequeue.termination == .exited(0))
      #expect(dequeue.standardOutput == Array(results.map { $0.body + Array("\n".utf8) }.joined()))
      #expect(try await place.isEmpty("enriched"))
    }
  }

  @Test("enqueue puts lines and files into a queue, with headers", arguments: BrokerKind.products)
  func enqueue(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let lines = try await PushEnricher.run(
        ["enqueue", "--to", place.url("incoming"), "--header", "apns-topic=a=b", "--header", "empty="],
        input: Array("{\"n\":1}\n\n{\"n\":2}".utf8))
      #expect(lines.termination == .exited(0))
      #expect(lines.standardError == "push-enricher: 2 payloads enqueued\n")
      let pretty = "{\n  \"n\": 3\n}\n"
      let file = try place.folder.write(Array(pretty.utf8), to: "payload.json")
      let files = try await PushEnricher.run(["enqueue", "--to", place.url("incoming"), file, file])
      #expect(files.standardError == "push-enricher: 2 payloads enqueued\n")

      let messages = try await place.contents("incoming")
      #expect(
        messages.map { String(decoding: $0.body, as: UTF8.self) } == [
          #"{"n":1}"#, #"{"n":2}"#, pretty, pretty,
        ])
      let headers = [Header("apns-topic", "a=b"), Header("empty", "")]
      #expect(messages.map(\.headers) == [headers, headers, [], []])
      #expect(Set(messages.map(\.id)).count == 4)
    }
  }

  @Test("enqueue reads - among files as one payload, the whole of stdin") func stdin() async throws {
    try await withWorkplace(.sqlite) { place in
      let file = try place.folder.write(Array("{}".utf8), to: "payload.json")
      func enqueue(_ input: [UInt8]) async throws -> Run {
        try await PushEnricher.run(["enqueue", "--to", place.url("incoming"), file, "-"], input: input)
      }
      let pretty = Array("{\n  \"n\": 1\n}\n".utf8)
      let run = try await enqueue(pretty)
      #expect(run.standardError == "push-enricher: 2 payloads enqueued\n")
      #expect(try await place.contents("incoming").map(\.body) == [Array("{}".utf8), pretty])
      let long = try await enqueue([UInt8](repeating: 32, count: 65_537))
      #expect(long.termination == .exited(65))
      #expect(long.standardError == "push-enricher: stdin is not a payload: it is longer than 64 KiB\n")
      let empty = try await enqueue([])
      #expect(empty.termination == .exited(65))
      #expect(empty.standardError == "push-enricher: stdin is not a payload: it is empty\n")
      #expect(try await place.contents("incoming").count == 2)
    }
  }

  @Test(
    "a file that is too long is refused, together with the files beside it", arguments: BrokerKind.products)
  func tooLong(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let good = try place.folder.write(Array("{}".utf8), to: "good.json")
      let long = try place.folder.write([UInt8](repeating: 32, count: 65_537), to: "long.json")
      let run = try await PushEnricher.run(["enqueue", "--to", place.url("incoming"), good, long])
      #expect(run.termination == .exited(65))
      #expect(run.standardError == "push-enricher: \(long) is not a payload: it is longer than 64 KiB\n")
      #expect(try await place.isEmpty("incoming"))
    }
  }

  #if Redis
    @Test("if the queue is full before all payloads are in it, the error says how many are") func full()
      async throws
    {
      try await withRedisServer { server in
        try await server.command(["CONFIG", "SET", "maxmemory", "12mb"])
        let line = "{\"n\":\"" + String(repeating: "x", count: 20_000) + "\"}\n"
        let run = try await PushEnricher.run(
          ["enqueue", "--to", server.url("stream")],
          input: Array(repeatElement(Array(line.utf8), count: 1_000).joined()))
        let count = try await server.command(["XLEN", "stream"]).dropLast()
        #expect(run.termination == .exited(69))
        #expect(Int(count).map { (1..<1_000).contains($0) } == true)
        #expect(
          run.standardError.contains(
            "raise it or free some space (workers then resume by themselves); \(count) payloads are enqueued, and perhaps some of the next "
          ))
      }
    }
  #endif

  @Test("a line that is too long is refused with its number, and the lines before it are enqueued")
  func tooLongLine() async throws {
    try await withWorkplace(.sqlite) { place in
      let long = [UInt8](repeating: 32, count: 65_536) + Array("1\n".utf8)
      let lines = Array("{\"n\":1}\n\n".utf8) + long.dropFirst() + Array("{\"n\":2}\n".utf8) + long
      let run = try await PushEnricher.run(
        ["enqueue", "--to", place.url("incoming")], input: lines + Array("{}\n".utf8))
      #expect(run.termination == .exited(65))
      #expect(
        run.standardError
          == "push-enricher: line 5 is not a payload: it is longer than 64 KiB; 3 payloads before it are enqueued, and nothing after it\n"
      )
      #expect(try await place.contents("incoming").map(\.body.count) == [7, 65_536, 7])
    }
  }

  @Test("no result is later than its deadline, whatever the servers do", arguments: BrokerKind.products)
  func deadline(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let silent = place.server.url(.silent)
      let errands = (0..<80).map { Errand($0, naming: silent, .unanswered) }
      try await place.publish(errands)
      let work = try await place.work(["--until-empty", "--deadline", "1s"])
      #expect(work.termination == .exited(0))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }
}
