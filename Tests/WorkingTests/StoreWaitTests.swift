import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// `--when-store-fails wait`: a store that fails does not use up the backlog.
@Suite("Waiting for the store", .timeLimit(.minutes(10)))
struct StoreWaitTests {
  /// How the store fails.
  enum Outage: CaseIterable, Sendable {
    /// Its directory is renamed.
    case missing
    /// Its disk has space for the file of its own test, but not for a photo of
    /// `StoreWaitTests.bytes`.
    case nearlyFull

    func begin(at place: Workplace, for worker: RunningWorker) async throws {
      switch self {
      case .missing: #expect(unsafe rename(place.store, "\(place.store)-away") == 0)
      case .nearlyFull: try await Command.limitFiles(of: worker.process, to: 300_000)
      }
    }

    func end(at place: Workplace, for worker: RunningWorker) async throws {
      switch self {
      case .missing: #expect(unsafe rename("\(place.store)-away", place.store) == 0)
      case .nearlyFull: try await Command.limitFiles(of: worker.process, to: nil)
      }
    }
  }

  /// The file limit of `nearlyFull` would affect a database as well.
  private static let cases: [(BrokerKind, Outage)] = BrokerKind.products.flatMap { kind in
    kind == .sqlite ? [(kind, .missing)] : Outage.allCases.map { (kind, $0) }
  }

  private static let tolerance = 3
  /// The size of a photo.
  private static let bytes = 400_000
  private static let options = ["--when-store-fails", "wait", "--concurrency", "8"]

  @Test("three payloads go out unmodified, and all others wait in their queue", arguments: cases)
  func wait(kind: BrokerKind, outage: Outage) async throws {
    try await withWorkplace(kind) { place in
      let photo = try Files.read("\(Fixtures.media)/photo.jpg")
      let url = place.server.url(
        .late(
          by: .milliseconds(20), .serve(Response(.padded(first: photo, length: Self.bytes), as: "image/jpeg"))
        ))
      let errands = (0..<100).map { Errand($0, naming: url, .enriched("public.jpeg")) }
      let run = try await place.work(Self.options + ["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await place.publish(errands[..<10])
        try await place.wait(for: Array(errands[..<10]))
        #expect(try await fetch(origin, "/readyz") == "ready\n200")

        try await outage.begin(at: place, for: worker)
        try await place.publish(errands[10...])
        try await place.wait(for: 13, in: "enriched")
        #expect(try await eventually { try await isWaiting(origin) })
        if outage == .nearlyFull { try await expectTries(origin) }
        // Payloads that were in flight have ended, and a few tries have been made.
        try await Task.sleep(for: .seconds(3))
        #expect(try await isWaiting(origin))
        #expect(try await place.contents("enriched").count == 13)
        // The file limit of `nearlyFull` affects the log as well.
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
      #expect(try await place.isEmpty("incoming"))
      #expect(try await place.isEmpty("dead-letters"))
    }
  }

  @Test("a worker that waits for its store stops at once, and everything is still in the queue")
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

  @Test("a worker that is started while its store fails takes nothing until the store works") func start()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<10, place.server, late: .zero)
      let flag = try place.folder.write([], to: "full")
      let library = try await Self.library(Self.full, in: place.folder)
      let environment = ["LD_PRELOAD": library, "WHILE": flag]
      // As long as the queue is empty, there is nothing to wait for.
      let idle = try await place.work(Self.options + ["--until-empty"], environment: environment)
      #expect(idle.termination == .exited(0), "\(idle.standardError)")
      try await place.publish(errands)
      let run = try await place.work(
        Self.options + ["--status", "127.0.0.1:0"], environment: environment
      ) { worker in
        let origin = try await worker.statusOrigin()
        #expect(try await eventually { try await isWaiting(origin) })
        try await Task.sleep(for: .seconds(2))
        #expect(try await place.isEmpty("enriched"))
        #expect(unsafe unlink(flag) == 0)
        try await place.wait(for: errands)
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("without the option, all payloads go out unmodified, and the worker stays ready") func unmodified()
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
        #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
        try await Outage.missing.begin(at: place, for: worker)
        try await place.publish(errands[..<3])
        #expect(try await eventually { try await isWaiting(origin) })
        #expect(try await place.isEmpty("incoming"))
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

  @Test("a worker that ends when its queue is empty ends once the store is back") func untilEmpty()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      // No more than one is done before the store is away.
      let latch = Latch()
      let errands = Errand.photos(0..<30, place.server, heldBy: latch, after: 1)
      try await place.publish(errands)
      let run = try await place.work(Self.options + ["--until-empty"]) { worker in
        try await place.wait(for: 1, in: "enriched")
        try await Outage.missing.begin(at: place, for: worker)
        latch.open()
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
    @Test("a disk that hangs counts as a store that fails, once deadlines have passed") func hanging()
      async throws
    {
      try await withWorkplace(.redis) { place in
        // A file that already exists would not be linked again.
        let photo = try Files.read("\(Fixtures.media)/photo.jpg")
        let errands = (0..<40).map { number in
          let response = Response(.padded(first: photo, length: 20_000 + number), as: "image/jpeg")
          return Errand(number, naming: place.server.url(.serve(response)), .enriched("public.jpeg"))
        }
        let flag = place.folder.path(of: "hangs")
        let library = try await Self.library(Self.hanging, in: place.folder)
        let run = try await place.work(
          Self.options + ["--status", "127.0.0.1:0", "--deadline", "8s"],
          environment: ["LD_PRELOAD": library, "WHILE": flag]
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

  /// `linkat` waits while the file named by `WHILE` exists.
  private static let hanging = """
    int linkat(int a, const char *b, int c, const char *d, int e) {
      while (access(getenv("WHILE"), F_OK) == 0) usleep(10000);
      return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
    }
    """
  /// Nothing can be written into unnamed files while the file named by `WHILE` exists.
  private static let full = """
    ssize_t writev(int file, const struct iovec *parts, int count) {
      struct stat status;
      if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0 && access(getenv("WHILE"), F_OK) == 0) {
        errno = ENOSPC;
        return -1;
      }
      return ((ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev"))(file, parts, count);
    }
    """

  /// Builds a library that is preloaded into a worker.
  private static func library(_ functions: String, in folder: TemporaryDirectory) async throws -> String {
    let includes = ["dlfcn.h", "errno.h", "stdlib.h", "sys/stat.h", "sys/uio.h", "unistd.h"]
    let source =
      "#define _GNU_SOURCE\n" + includes.map { "#include <\($0)>\n" }.joined() + functions + "\n"
    let file = try folder.write(Array(source.utf8), to: "disk.c")
    let library = folder.path(of: "disk.so")
    try await Command("gcc").runSuccessfully(["-shared", "-fPIC", "-o", library, file, "-ldl"])
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

  /// Expects that a few payloads, at least, are taken and given back.
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
