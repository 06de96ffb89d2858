#if Redis
  import Misbehaving
  import Queueing
  import TestSupport
  import Testing

  /// A user of Redis whose rights are reduced while a worker runs.
  @Suite("Lost rights", .timeLimit(.minutes(5)))
  struct LostRightTests {
    @Test(
      "a worker that may no longer settle publishes its result once, and takes nothing when it is started again",
      arguments: ["XACK", "XDEL"])
    func settling(right: String) async throws {
      try await withWorkplace(mortal: .redis) { place, broker in
        let redis = try #require(broker as? RedisServer)
        try await redis.command([
          "ACL", "SETUSER", "worker", "on", ">secret", "~*", "+@stream", "+@scripting", "+@transaction",
          "+type", "+auth",
        ])
        let urls = ["incoming", "enriched"].map {
          redis.url($0, host: "127.0.0.1", user: "worker:secret@")
        }
        let latch = Latch()
        let photo = Behaviour.held(by: latch, .serve(.file("photo.jpg", "image/jpeg")))
        try await place.publish([Errand(0, naming: place.server.url(photo), .enriched("public.jpeg"))])
        async let run = place.work([], from: urls[0], to: urls[1])
        #expect(await eventually { place.server.tally(of: photo).requests > 0 })
        try await redis.command(["ACL", "SETUSER", "worker", "-\(right.lowercased())"])
        latch.open()
        #expect(try await run.termination == .exited(69))
        #expect(try await run.standardError.contains("is handed out again when this process has ended"))
        for _ in 0..<2 {
          let again = try await place.work([], from: urls[0], to: urls[1])
          #expect(again.termination == .exited(69))
          let told =
            "does not let this user run \(right) on incoming: grant it with ACL SETUSER worker +\(right.lowercased())"
          #expect(again.standardError.contains(told), "\(again.standardError)")
        }
        #expect(try await place.contents("enriched").count == 1)
        // A deleted message is not handed out again.
        if right == "XDEL" {
          let delivery = try await place.queue("incoming").receive(1, waitingUpTo: .seconds(30))?.first
          #expect(delivery?.attempt == 2)
        } else {
          #expect(try await place.isEmpty("incoming"))
        }
      }
    }
  }
#endif
