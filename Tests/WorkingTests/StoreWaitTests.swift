import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// `--when-store-fails wait`: a store that fails burns no backlog.
@Suite("Waiting for the store", .timeLimit(.minutes(10)))
struct StoreWaitTests {
  /// How the store fails.
  enum Outage: CaseIterable, Sendable {
    /// Its directory loses its name.
    case missing
    /// Its disk takes the small file of its own test, and no photo.
    case full

    func begin(at place: Workplace, for worker: RunningWorker) async throws {
      switch self {
      case .missing: #expect(unsafe rename(place.store, "\(place.store)-away") == 0)
      case .full: try await Command.limitFiles(of: worker.process, to: 1_000)
      }
    }

    func end(at place: Workplace, for worker: RunningWorker) async throws {
      switch self {
      case .missing: #expect(unsafe rename("\(place.store)-away", place.store) == 0)
      case .full: try await Command.limitFiles(of: worker.process, to: nil)
      }
    }
  }

  /// The limit of `full` holds for a database as well.
  private static let cases: [(BrokerKind, Outage)] = BrokerKind.products.flatMap { kind in
    kind == .sqlite ? [(kind, .missing)] : Outage.allCases.map { (kind, $0) }
  }

  private static let tolerance = 3
  private static let options = ["--when-store-fails", "wait", "--concurrency", "8"]

  @Test("three payloads go out unmodified, and all others wait in their queue", arguments: cases)
  func wait(kind: BrokerKind, outage: Outage) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<100, place.server, late: .milliseconds(20))
      let run = try await place.work(Self.options + ["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await place.publish(errands[..<10])
        try await place.wait(for: Array(errands[..<10]))
        #expect(try await fetch(origin, "/readyz") == "ready\n200")

        try await outage.begin(at: place, for: worker)
        try await place.publish(errands[10...])
        try await place.wait(for: 13, in: "enriched")
        #expect(try await eventually { try await isWaiting(origin) })
        if outage == .full { try await expectTries(origin) }
        // What was in flight has come to an end, and a few tries have been made.
        try await Task.sleep(for: .seconds(3))
        #expect(try await isWaiting(origin))
        #expect(try await place.contents("enriched").count == 13)
        // The limit of `full` holds for the log as well.
        if outage == .missing {
          #expect(worker.log.contains("the store fails, nothing is taken until it works"))
        }

        try await outage.end(at: place, for: worker)
        try await place.wait(for: errands)
        #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
        #expect(try await gauge(origin) == 0)
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(run.standardError.contains("the store works again"))
      let results = try await place.contents("enriched")
      let failed = results.filter { $0.header("enrich-reason") == "store-failed" }
      #expect(failed.count == Self.tolerance)
      let others = errands.filter { errand in !failed.contains { $0.id == errand.message.id } }
      expectEach(
        of: others, in: results.filter { result in !failed.contains { $0.id == result.id } }, of: kind)
      #expect(try await place.contents("incoming").isEmpty)
      #expect(try await place.contents("dead-letters").isEmpty)
    }
  }

  @Test("a worker that waits for its store stops at once, and all is still in the queue")
  func stop() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<50, place.server, late: .zero)
      let run = try await place.work(Self.options) { worker in
        try await place.publish(errands[..<1])
        try await place.wait(for: 1, in: "enriched")
        try await Outage.missing.begin(at: place, for: worker)
        try await place.publish(errands[1...])
        #expect(await eventually { worker.log.contains("the store fails") })
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      #expect(results.count == 1 + Self.tolerance)
      let waiting = try await place.takeAll(of: "incoming")
      #expect(waiting.allSatisfy { $0.attempt == 1 })
      #expect(
        Set(waiting.map(\.message.id)).union(results.map(\.id)) == Set(errands.map(\.message.id)))
      #expect(waiting.count + results.count == errands.count)
    }
  }

  @Test("without the option, everything goes out unmodified, and the worker stays ready") func unmodified()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<20, place.server, late: .zero)
      let run = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await Outage.missing.begin(at: place, for: worker)
        try await place.publish(errands)
        try await place.wait(for: errands)
        #expect(try await fetch(origin, "/readyz") == "ready\n200")
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      #expect(results.map { $0.header("enrich-reason") } == errands.map { _ in "store-failed" })
    }
  }

  @Test("a worker whose queue is empty meanwhile is ready as soon as the store is back")
  func empty() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<6, place.server, late: .zero)
      let run = try await place.work(Self.options + ["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await Outage.missing.begin(at: place, for: worker)
        try await place.publish(errands[..<3])
        #expect(try await eventually { try await isWaiting(origin) })
        #expect(try await place.contents("incoming").isEmpty)
        try await Outage.missing.end(at: place, for: worker)
        #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
        try await place.publish(errands[3...])
        try await place.wait(for: errands)
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      #expect(Set(results.filter { $0.header("enrich-reason") == nil }.map(\.id)) == ["m3", "m4", "m5"])
    }
  }

  @Test("a worker that is to end with its queue ends once the store is back") func untilEmpty() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<30, place.server, late: .milliseconds(200))
      try await place.publish(errands)
      let run = try await place.work(Self.options + ["--until-empty"]) { worker in
        try await place.wait(for: 1, in: "enriched")
        try await Outage.missing.begin(at: place, for: worker)
        #expect(await eventually { worker.log.contains("the store fails") })
        try await Outage.missing.end(at: place, for: worker)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      #expect(results.count == errands.count)
      #expect(results.count { $0.header("enrich-reason") != nil } == Self.tolerance)
    }
  }

  #if Redis
    @Test("a disk that hangs is a store that fails, once deadlines show it") func hanging() async throws {
      try await withWorkplace(.redis) { place in
        let errands = Errand.photos(0..<40, place.server, late: .zero)
        let flag = place.folder.path(of: "hangs")
        let library = try await Self.hangingLibrary(in: place.folder)
        let run = try await place.work(
          Self.options + ["--status", "127.0.0.1:0", "--deadline", "2s"],
          environment: ["LD_PRELOAD": library, "HANGS_WHILE": flag]
        ) { worker in
          let origin = try await worker.statusOrigin()
          try await place.publish(errands[..<1])
          try await place.wait(for: 1, in: "enriched")
          try Files.write([], to: flag)
          try await place.publish(errands[1...])
          #expect(try await eventually { try await isWaiting(origin) })
          try await Task.sleep(for: .seconds(3))
          #expect(try await place.contents("enriched").count == 1 + Self.tolerance)
          #expect(unsafe unlink(flag) == 0)
          try await place.wait(for: errands)
          #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        let results = try await place.contents("enriched")
        #expect(results.count == errands.count)
        let reasons = results.compactMap { $0.header("enrich-reason") }
        #expect(reasons == (0..<Self.tolerance).map { _ in "deadline-exceeded" })
        #expect(run.standardError.contains("was waiting for the store"))
      }
    }
  #endif

  /// Its `linkat` waits while a file is there.
  private static func hangingLibrary(in folder: TemporaryDirectory) async throws -> String {
    let source = try folder.write(
      Array(
        """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <unistd.h>
        int linkat(int a, const char *b, int c, const char *d, int e) {
          while (access(getenv("HANGS_WHILE"), F_OK) == 0) usleep(10000);
          return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
        }
        """.utf8), to: "hang.c")
    let library = folder.path(of: "hang.so")
    try await Command("gcc").runSuccessfully(["-shared", "-fPIC", "-o", library, source, "-ldl"])
    return library
  }

  private func isWaiting(_ origin: String) async throws -> Bool {
    let answer = try await fetch(origin, "/readyz")
    return answer.hasPrefix("nothing has been taken for ") && answer.contains(", because the store fails (")
      && answer.hasSuffix("\n503")
  }

  private func gauge(_ origin: String) async throws -> Double? {
    try await metrics(origin).value("push_enricher_waiting_for_store")
  }

  /// Payloads are taken and given back, a few at least.
  private func expectTries(_ origin: String) async throws {
    func taken() async throws -> Double {
      try await metrics(origin).sum("messaging_client_consumed_messages_total")
    }
    #expect(try await gauge(origin) == 1)
    let start = try await taken()
    #expect(try await eventually { try await taken() >= start + 2 })
  }

  private func metrics(_ origin: String) async throws -> Exposition {
    try Exposition(String(try await fetch(origin, "/metrics").dropLast(3)))
  }
}
