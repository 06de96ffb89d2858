import Queueing
import TestSupport
import Testing

/// `dead-letters`: what people do with the messages there.
@Suite("Dead letters", .timeLimit(.minutes(5)))
struct DeadLetterTests {
  private static let letters = (0..<250).map { number in
    Message(
      id: "m\(number)", body: Array("no payload \(number)\n".utf8),
      headers: [
        Header("enrich-outcome", "unmodified"), Header("enrich-reason", "poison"), Header("n", "\(number)"),
      ])
  }

  private func withLetters(_ kind: BrokerKind, _ body: (Workplace) async throws -> Void) async throws {
    try await withWorkplace(kind) { place in
      try await place.queue("dead-letters").publish(Self.letters)
      try await body(place)
    }
  }

  private func run(_ arguments: [String], at place: Workplace) async throws -> Run {
    try await PushEnricher.run(["dead-letters"] + arguments + ["--from", place.url("dead-letters")])
  }

  @Test("list and show remove nothing", arguments: BrokerKind.products)
  func look(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let list = try await run(["list"], at: place)
      #expect(list.termination == .exited(0))
      #expect(list.output == Self.letters.map { "\($0.id) poison \($0.body.count)\n" }.joined())
      let show = try await run(["show", "m7"], at: place)
      #expect(show.termination == .exited(0))
      #expect(show.output == "no payload 7\n")
      #expect(
        show.standardError
          == "push-enricher: enrich-outcome: unmodified\npush-enricher: enrich-reason: poison\npush-enricher: n: 7\n"
      )
      #expect(try await place.contents("dead-letters") == Self.letters)
    }
  }

  @Test(
    "replay puts some letters into the queue again, without the headers that the worker added",
    arguments: BrokerKind.products)
  func replay(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let replay = try await run(["replay", "m3", "m200", "--to", place.url("incoming")], at: place)
      #expect(replay.termination == .exited(0))
      #expect(replay.standardError == "push-enricher: 2 messages replayed\n")
      let chosen = Self.letters.filter { ["m3", "m200"].contains($0.id) }
      #expect(
        try await place.contents("incoming")
          == chosen.map { Message(id: $0.id, body: $0.body, headers: Array($0.headers.suffix(1))) })
      let others = Self.letters.filter { !chosen.contains($0) }
      let again = try await place.queue("dead-letters").receive(1_000, waitingUpTo: .zero)
      #expect(again?.map(\.message) == others)
    }
  }

  @Test("replay takes all letters with the same id", arguments: BrokerKind.products)
  func sameID(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      try await place.queue("dead-letters").publish((0..<3).map { Message(id: "same", body: [$0]) })
      let replay = try await run(["replay", "same", "--to", place.url("incoming")], at: place)
      #expect(replay.termination == .exited(0))
      #expect(replay.standardError == "push-enricher: 3 messages replayed\n")
      #expect(try await place.contents("incoming").map(\.body) == [[0], [1], [2]])
    }
  }

  @Test(
    "replay refuses to put letters into the queue that it takes them from", arguments: BrokerKind.products)
  func ownQueue(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let url = place.url("dead-letters")
      for (options, environment, origin) in [
        (["--to", url], [:], "--to"), ([], ["PUSH_ENRICHER_FROM": url], "PUSH_ENRICHER_FROM"),
      ] {
        let run = try await PushEnricher.run(
          ["dead-letters", "replay", "--all", "--from", url] + options, environment: environment)
        #expect(run.termination == .exited(64))
        #expect(run.standardError.hasPrefix("push-enricher: \(origin) "), "\(run.standardError)")
        #expect(
          run.standardError.hasSuffix(
            ": this is the queue that the dead letters are in: they would be replayed again, forever\n"))
        #expect(try await place.contents("dead-letters") == Self.letters)
      }
    }
  }

  #if RabbitMQ
    @Test("replay ends if its letters come back by a route that no URL reveals")
    func roundabout() async throws {
      let server = try await RabbitMQServer.shared
      try await withLetters(.rabbitMQ) { place in
        let url = place.url("dead-letters")
        let other = url.replacing(
          "amqp://127.0.0.1:\(server.ports.plain)",
          with: "amqps://localhost:\(server.ports.secure)")
        let run = try await run(["replay", "--all", "--to", other, "--ca-file", server.caFile], at: place)
        #expect(run.termination == .exited(0))
        #expect(run.standardError == "push-enricher: 250 messages replayed\n")
        // RabbitMQ notices a moment later that the messages were given back.
        #expect(
          try await eventually {
            try await Set(place.contents("dead-letters").map(\.id)) == Set(Self.letters.map(\.id))
          })
      }
    }
  #endif

  @Test("drop deletes some letters, or all", arguments: BrokerKind.products)
  func drop(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let one = try await run(["drop", "m0"], at: place)
      #expect(one.standardError == "push-enricher: 1 message dropped\n")
      #expect(try await place.contents("dead-letters") == Array(Self.letters.dropFirst()))
      let all = try await run(["drop", "--all"], at: place)
      #expect(all.standardError == "push-enricher: 249 messages dropped\n")
      #expect(try await place.isEmpty("dead-letters"))
    }
  }

  @Test(
    "drop and replay do what they can, and name the ids that are missing", arguments: BrokerKind.products)
  func some(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let ids = ["m1", "lost", "m1", "m2", "gone", "lost"]
      let drop = try await run(["drop"] + ids, at: place)
      #expect(drop.termination == .exited(65))
      #expect(drop.standardError.hasPrefix("push-enricher: 2 messages dropped\npush-enricher: --from "))
      #expect(drop.standardError.hasSuffix(": not there: lost, gone: see dead-letters list\n"))
      let replay = try await run(["replay", "m3", "m1", "--to", place.url("incoming")], at: place)
      #expect(replay.termination == .exited(65))
      #expect(replay.standardError.hasPrefix("push-enricher: 1 message replayed\n"))
      #expect(replay.standardError.hasSuffix(": not there: m1: see dead-letters list\n"))
      #expect(try await place.contents("incoming").map(\.id) == ["m3"])
      #expect(try await place.contents("dead-letters").count == Self.letters.count - 3)
    }
  }

  @Test(
    "a letter that another process holds is reported separately, and stays",
    arguments: BrokerKind.products.filter(\.countsLeases)
  )
  func held(kind: BrokerKind) async throws {
    try await withLetters(kind) { place in
      let other = try place.queue("dead-letters")
      #expect(try await other.receive(1, waitingUpTo: .zero)?.map(\.message.id) == ["m0"])
      let told = ": held by another process, and back when it ends: m0\n"
      let one = try await run(["drop", "m0"], at: place)
      #expect(one.termination == .exited(69))
      #expect(one.standardError.hasPrefix("push-enricher: 0 messages dropped\npush-enricher: --from "))
      #expect(one.standardError.hasSuffix(told), "\(one.standardError)")
      let all = try await run(["drop", "--all"], at: place)
      #expect(all.termination == .exited(69))
      #expect(all.standardError.hasPrefix("push-enricher: 249 messages dropped\n"))
      #expect(all.standardError.hasSuffix(told), "\(all.standardError)")
      #expect(try await place.contents("dead-letters") == [Self.letters[0]])
    }
  }

  @Test(
    "drop and replay change nothing if all ids are missing, no id is given, or too many are given",
    arguments: BrokerKind.products,
    [["m999"], [], ["m1", "--all"]])
  func wrong(kind: BrokerKind, arguments: [String]) async throws {
    try await withLetters(kind) { place in
      for command in [["drop"], ["replay", "--to", place.url("incoming")]] {
        let run = try await run(command + arguments, at: place)
        #expect(run.termination == .exited(arguments == ["m999"] ? 65 : 64))
        #expect(try await place.contents("dead-letters") == Self.letters)
      }
    }
  }
}
