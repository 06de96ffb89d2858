import Misbehaving
import Notifications
import Queueing
import TestSupport
import Testing

/// One download for a campaign, shared by several workers with the same store.
@Suite("Cache", .timeLimit(.minutes(5)))
struct CacheTests {
  private static let photo = Behaviour.serve(
    Response(
      .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
      fields: [Response.Field("Cache-Control", "max-age=3600")]))

  @Test("a worker fetches a URL once for all payloads, and the next worker does not fetch it at all")
  func restart()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let errands = (0..<400).map {
        Errand($0, naming: place.server.url(Self.photo), .enriched("public.jpeg"))
      }
      for half in [errands.prefix(200), errands.suffix(200)] {
        try await place.publish(half)
        let run = try await place.work(["--until-empty", "--cache", "1MB"])
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(place.server.tally(of: Self.photo).requests == 1)
      }
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("the cache of a worker is off by default") func defaults() async throws {
    try await withWorkplace(.sqlite) { place in
      let body =
        #"{"aps":{"alert":"a","mutable-content":1},"media":{"url":"\#(place.server.url(Self.photo))"}}"#
      let options = place.options.filter { !["--cache", "0"].contains($0) }
      for (more, requests) in [(["--cache", "16MB"], 1), (["--cache", "16MB"], 1), ([], 4)] {
        let run = try await PushEnricher.run(
          ["work", "--from", "-", "--to", "-"] + options + more,
          input: Array("\(body)\n\(body)\n\(body)\n".utf8))
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.standardOutput.split(separator: UInt8(ascii: "\n")).count == 3)
        #expect(place.server.tally(of: Self.photo).requests == requests)
      }
    }
  }

  @Test(
    "work does not reuse files of enrich, which may not be on the disk yet, but enrich reuses files of work"
  )
  func durability() async throws {
    try await withWorkplace(.sqlite) { place in
      let errand = Errand(0, naming: place.server.url(Self.photo), .enriched("public.jpeg"))
      // All options but --dead-letters, which enrich does not have.
      let options =
        place.options.dropFirst(2).filter { !["--cache", "0"].contains($0) } + ["--cache", "1MB"]
      let runs = [("enrich", 1), ("enrich", 1), ("work", 2), ("work", 2), ("enrich", 2)]
      for (command, requests) in runs {
        let queues = command == "work" ? ["--from", "-", "--to", "-"] : []
        let run = try await PushEnricher.run([command] + queues + options, input: errand.message.body)
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(place.server.tally(of: Self.photo).requests == requests)
      }
    }
  }

  @Test("a file that a worker still refers to is not pruned") func pruning() async throws {
    try await withWorkplace(.sqlite) { place in
      func work(_ numbers: Range<Int>) async throws -> [Errand] {
        let errands = numbers.map {
          Errand($0, naming: place.server.url(Self.photo), .enriched("public.jpeg"))
        }
        try await place.publish(errands)
        let run = try await place.work(["--until-empty", "--cache", "1MB"])
        #expect(run.termination == .exited(0), "\(run.standardError)")
        return errands
      }
      func prune() async throws -> String {
        try await PushEnricher.run(["store", "prune", "--older-than", "1d", "--store", place.store])
          .standardError
      }
      func makeOld() async throws {
        try await Command("find").runSuccessfully(
          [place.store, "-name", "*.jpg", "-exec", "touch", "-d", "2 days ago", "{}", "+"])
      }
      var errands = try await work(0..<3)
      try await makeOld()
      errands += try await work(3..<6)
      // The second worker has not fetched the file, but it still uses it.
      #expect(try await prune() == "push-enricher: 0 files of 0 bytes removed, 1 file in use\n")
      try await makeOld()
      #expect(try await prune() == "push-enricher: 1 file of 7333 bytes removed, 0 files in use\n")
      errands += try await work(6..<9)
      #expect(place.server.tally(of: Self.photo).requests == 2)
      #expect(try await prune() == "push-enricher: 0 files of 0 bytes removed, 1 file in use\n")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }
}
