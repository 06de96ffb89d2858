import Glibc
import Misbehaving
import TestSupport
import Testing

/// What `work --status` reports to people and probes.
@Suite("The status of a running worker", .timeLimit(.minutes(5)))
struct StatusTests {
  @Test(
    "a worker is ready while its queue works, and healthy all the time",
    arguments: BrokerKind.outsiders)
  func readiness(kind: BrokerKind) async throws {
    try await withWorkplace(mortal: kind) { place, broker in
      let silent = place.server.url(.silent)
      let run = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
        try await broker.withOutage {
          let isNoticed = try await eventually {
            let answer = try await fetch(origin, "/readyz")
            return answer.hasPrefix("nothing could be taken from the queue for ") && answer.hasSuffix("\n503")
          }
          #expect(isNoticed)
          #expect(try await eventually { try await fetch(origin, "/healthz") == "ok\n200" })
        }
        #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })

        try await place.publish([Errand(0, naming: silent, .unmodified("deadline-exceeded"))])
        #expect(await eventually { place.server.tally(of: .silent).requests == 1 })
        #expect(kill(worker.process, SIGTERM) == 0)
        #expect(
          try await eventually {
            try await fetch(origin, "/readyz") == "stopping: what is in flight is being finished\n503"
          })
        #expect(try await eventually { try await fetch(origin, "/healthz") == "ok\n200" })
        worker.stopAtOnce()
      }
      #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
    }
  }

  #if Redis
    @Test(
      "a worker is healthy and not ready while it waits for its queue at the start, for as long as it may")
    func waiting() async throws {
      try await withWorkplace(mortal: .redis) { place, broker in
        let errands = Errand.photos(0..<1, place.server, late: .zero)
        try await place.publish(errands)
        try await broker.kill()
        let short = try await place.work(["--wait-for-queues", "1s"])
        #expect(short.termination == .exited(69), "\(short.standardError)")
        let run = try await place.work(["--wait-for-queues", "240s", "--status", "127.0.0.1:0"]) { worker in
          let origin = try await worker.statusOrigin()
          #expect(worker.log.contains(#""message":"a queue is away, waiting for it""#))
          #expect(
            try await eventually {
              try await fetch(origin, "/readyz") == "starting: the queue has not answered yet\n503"
            })
          #expect(try await eventually { try await fetch(origin, "/healthz") == "ok\n200" })
          #expect(try await fetch(origin, "/metrics").contains("\npush_enricher_ready 0\n"))
          try await broker.restart()
          #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
          try await place.wait(for: errands)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
      }
    }
  #endif

  @Test("healthcheck asks for the status of a worker, wherever that is configured")
  func healthcheck() async throws {
    try await withWorkplace(.sqlite) { place in
      let run = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let address = String(try await worker.statusOrigin().dropFirst("http://".count))
        let config = try place.folder.write(Array(#"{"status": "\#(address)"}"#.utf8), to: "config.json")
        for (options, environment) in [
          (["--status", address], [:]), ([], ["PUSH_ENRICHER_STATUS": address]), (["--config", config], [:]),
        ] {
          #expect(
            try await eventually {
              let run = try await PushEnricher.run(["healthcheck"] + options, environment: environment)
              return run.termination == .exited(0) && run.standardError == "push-enricher: ok\n"
            })
        }
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
    }
  }

  @Test("healthcheck reports unhealthy if there is no answer")
  func unhealthy() async throws {
    let port = freePort()
    let nobody = try await PushEnricher.run(["healthcheck", "--status", "127.0.0.1:\(port)"])
    #expect(nobody.termination == .exited(1))
    #expect(
      nobody.standardError
        == "push-enricher: unhealthy: no worker answers at 127.0.0.1:\(port) (Connection refused): check that work runs with this --status\n"
    )
  }

  private static let another = "does not answer as push-enricher does: is it the address of another program?"
  private static let ill = "does not say that it is healthy"
  private static let silent = "does not answer"

  private static func answer(
    _ body: String = "ok\n", status: Int = 200, server: String = "push-enricher"
  ) -> String { "HTTP/1.1 \(status) OK\r\nContent-Type: text/plain\r\nServer: \(server)\r\n\r\n\(body)" }

  @Test(
    "healthcheck trusts only a push-enricher, and does not show what other servers say",
    arguments: [
      ("HTTP/1.0 200 OK\r\n\r\nok\n", another),
      ("HTTP/1.1 200 OK\r\n\r\nServer: push-enricher\r\n\r\nok\n", another),
      (answer("\u{1b}[2Jok\n", server: "nginx"), another), (answer(server: "push-enricher-like"), another),
      ("Server: push-enricher\r\n\r\nok\n", another), ("\u{0}\u{301}\r\n", another),
      (answer("\u{1b}[2Jok\n"), ill), (answer(status: 503), ill), (answer("ok\nok\n"), ill),
      (answer(""), ill),
      (answer(String(repeating: "ok\n", count: 2_000)), silent), ("", silent),
    ])
  func strangers(answer: String, says: String) async throws {
    try await withServer(answering: { _ in answer }, closing: true) { port in
      let run = try await PushEnricher.run(["healthcheck", "--status", "127.0.0.1:\(port)"])
      #expect(run.termination == .exited(1))
      #expect(run.standardError.hasPrefix("push-enricher: unhealthy: "))
      #expect(run.standardError.hasSuffix("127.0.0.1:\(port) \(says)\n"), "\(run.standardError)")
    }
  }

  @Test("healthcheck does not wait for an answer that never ends") func endless() async throws {
    try await withServer(answering: { _ in Self.answer() }) { port in
      let run = try await PushEnricher.run(["healthcheck", "--status", "127.0.0.1:\(port)"])
      #expect(run.termination == .exited(1))
      #expect(
        run.standardError == "push-enricher: unhealthy: the worker at 127.0.0.1:\(port) does not answer\n")
    }
  }

  @Test("healthcheck accepts a push-enricher that says that it is healthy") func believed() async throws {
    try await withServer(answering: { _ in Self.answer() }, closing: true) { port in
      let run = try await PushEnricher.run(["healthcheck", "--status", "127.0.0.1:\(port)"])
      #expect(run.termination == .exited(0))
      #expect(run.standardError == "push-enricher: ok\n")
    }
  }

  @Test("healthcheck succeeds without a request if the status of the worker is switched off") func none()
    async throws
  {
    let none = try await PushEnricher.run(["healthcheck"], environment: ["PUSH_ENRICHER_STATUS": ""])
    #expect(none.termination == .exited(0))
    #expect(none.standardError == "push-enricher: no status is served: PUSH_ENRICHER_STATUS is empty\n")
  }

  @Test("work and healthcheck refuse a status that is not an address, and healthcheck requires one")
  func wrong() async throws {
    for arguments in [["work", "--status", "worker:8080"], ["healthcheck", "--status", "worker:8080"]] {
      let run = try await PushEnricher.run(arguments)
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: --status: 'worker:8080' is not an address and port: write one like 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080\n"
      )
    }
    try await withWorkplace(.sqlite) { place in
      let run = try await place.work([], environment: ["PUSH_ENRICHER_STATUS": "192.0.2.1:80"])
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError.hasPrefix(
          "push-enricher: PUSH_ENRICHER_STATUS: cannot listen at 192.0.2.1:80 (Cannot assign requested address)"
        ))
    }
    let missing = try await PushEnricher.run(["healthcheck"])
    #expect(missing.termination == .exited(64))
    #expect(
      missing.standardError.contains(
        "give work and healthcheck the same --status, like 127.0.0.1:8080, or set PUSH_ENRICHER_STATUS for both"
      ))
  }

  @Test("the status of a worker is served once its port is free, and payloads do not wait for that")
  func taken() async throws {
    try await withWorkplace(.sqlite) { place in
      let first = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        let address = String(origin.dropFirst("http://".count))
        let errands = Errand.photos(0..<4, place.server, late: .zero)
        let second = try await place.work(["--status", address]) { successor in
          #expect(await eventually { successor.log.contains("\(address) is taken by another program") })
          try await place.publish(errands)
          try await place.wait(for: errands)
          #expect(kill(worker.process, SIGTERM) == 0)
          #expect(try await successor.statusOrigin() == origin)
          #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
          #expect(kill(successor.process, SIGTERM) == 0)
        }
        #expect(second.termination == .exited(0), "\(second.standardError)")
      }
      #expect(first.termination == .exited(0), "\(first.standardError)")
    }
  }
}

extension BrokerKind {
  /// A broker that is a server, if this build knows one.
  static var outsiders: [BrokerKind] {
    #if Redis
      [.redis]
    #else
      [.sqlite]
    #endif
  }
}

extension RunningWorker {
  /// The address of its status pages, once it has logged it: `http://127.0.0.1:PORT`.
  func statusOrigin() async throws -> String {
    let said = #/"the status is served","address":"([^"]+)"/#
    #expect(await eventually { log.contains(said) })
    return "http://\(try #require(log.firstMatch(of: said)).output.1)"
  }

  /// Ends it without waiting for payloads in flight.
  func stopAtOnce() { #expect(kill(process, SIGKILL) == 0) }
}

/// The body of the answer followed by its status; "000" if there is no answer.
func fetch(_ origin: String, _ path: String) async throws -> String {
  try await Command("curl").run(
    ["-q", "-sS", "--noproxy", "*", "--write-out", "%{http_code}", origin + path]
  ).output
}
