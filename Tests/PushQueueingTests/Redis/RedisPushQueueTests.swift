#if Redis
  import BuiltInQueueing
  import PushQueueing
  import Queueing
  import TestSupport
  import Testing

  /// Things that only a push queue in Redis has: a server that stops, rights, and keys that others may write.
  @Suite("Push queue in Redis", .timeLimit(.minutes(5)))
  struct RedisPushQueueTests {
    private func place(on server: RedisServer, user: String = "") -> Place {
      Place(url: String(server.url("pushes", host: "127.0.0.1", user: user).prefix { $0 != "?" }))
    }

    private func refusal(of place: Place) -> QueueError? {
      do throws(QueueError) {
        _ = try place.open()
        return nil
      } catch {
        return error
      }
    }

    @Test("what is assigned survives a power cut, and a server that has forgotten the scripts")
    func outage() async throws {
      try await withRedisServer { server in
        let queue = try place(on: server).open()
        try await queue.accept(["a", "b"])
        try await server.command(["SCRIPT", "FLUSH"])
        #expect(try await queue.assign([offer("c")], at: start) == [position(3)])
        try await server.withOutage {
          await #expect(throws: QueueError.self) { _ = try await queue.assign([offer("d")], at: start) }
        }
        #expect(try await queue.assign([offer("d"), offer("b")], at: start) == [position(4), position(2)])
        #expect(try await queue.counts() == ["assigned": 4, "sent": 2, "accepted": 2])
      }
    }

    @Test("a full server loses nothing, and gives no position")
    func full() async throws {
      try await withRedisServer { server in
        let queue = try place(on: server).open()
        try await queue.accept(["a"])
        try await server.command(["CONFIG", "SET", "maxmemory", "1"])
        let full = QueueError.unavailable(
          "\(server.name) has reached its maxmemory: raise it or free some space (workers then resume by themselves)"
        )
        await #expect(throws: full) { _ = try await queue.assign([offer("b")], at: start) }
        try await server.command(["CONFIG", "SET", "maxmemory", "0"])
        #expect(try await queue.assign([offer("b")], at: start) == [position(2)])
        #expect(try await queue.counts()["assigned"] == 2)
      }
    }

    @Test("a user needs the rights that the message names, and no others")
    func rights() async throws {
      try await withRedisServer { server in
        let place = place(on: server, user: "pusher:x@")
        let rule = ["+@hash", "+@sortedset", "+@string", "+@scripting", "+del", "~pushes:*"]
        let refusal = QueueError.refused(
          "\(server.name) does not let this user keep a push queue: grant it with ACL SETUSER pusher "
            + rule.joined(separator: " "))
        for missing in rule.indices where rule[missing] != "+@scripting" {
          let granted = rule.indices.filter { $0 != missing }.map { rule[$0] }
          try await server.command(["ACL", "SETUSER", "pusher", "reset", "on", ">x"] + granted)
          #expect(self.refusal(of: place) == refusal, "without \(rule[missing])")
        }
        try await server.command(["ACL", "SETUSER", "pusher", "reset", "on", ">x"] + rule)
        let queue = try place.open()
        try await queue.accept(["a", "b"])
        _ = try await queue.ask(2, 1, at: start)
        #expect(try await queue.taken(at: start) == [1])
        while try await queue.tidy(at: start + 500 * day) {}
        #expect(try await queue.counts().isEmpty)
        // Redis keeps no other key.
        let keys = try await server.command(["KEYS", "*"]).split(separator: "\n").sorted()
        #expect(keys == ["pushes:about", "pushes:bytes", "pushes:next"])
        #expect(try await server.command(["GET", "pushes:bytes"]) == "0\n")
      }
    }

    @Test("keys of something else, of a later version or damaged are refused")
    func foreign() async throws {
      try await withRedisServer { server in
        let place = place(on: server)
        try await server.command(["SET", "pushes:ends", "x"])
        #expect(
          refusal(of: place)
            == .refused("\(server.name) has keys pushes:* that do not belong to a push queue: name another"))
        try await server.command(["DEL", "pushes:ends"])
        let queue = try place.open()
        try await queue.accept(["a", "b"])
        _ = try await queue.ask(2, 1, at: start)
        let damaged = QueueError.refused(
          "\(server.name) has a push queue pushes that is damaged: see who else writes to the keys pushes:*")
        for key in try await server.command(["HKEYS", "pushes:contents"]).split(separator: "\n") {
          try await server.command(["HSET", "pushes:contents", String(key), "\u{7F}"])
        }
        await #expect(throws: damaged) { _ = try await queue.taken(at: start) }
        for key in try await server.command(["HKEYS", "pushes:logs"]).split(separator: "\n") {
          try await server.command(["HSET", "pushes:logs", String(key), "x"])
        }
        await #expect(throws: damaged) { _ = try await queue.assign([offer("c")], at: start) }
        try await server.command(["HSET", "pushes:about", "layout", "2"])
        #expect(
          refusal(of: place)
            == .refused(
              "\(server.name) has a push queue pushes that was created by a later version of push-enricher, "
                + "which is needed to use it"))
      }
    }
  }
#endif
