import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: backlog", .timeLimit(.minutes(5)))
struct BacklogTests {
  @Test("waiting messages and messages on lease are counted separately", arguments: BrokerKind.allCases)
  func counts(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      let other = try broker.open("other")
      let none = kind.countsLeases ? 0 : nil
      #expect(try await eventually { try await queue.backlog?.waiting == 0 })
      try await queue.publish(0..<5)
      try await other.publish(5..<7)
      // A quorum queue updates its count a moment later.
      #expect(try await eventually { try await queue.backlog?.waiting == 5 })
      #expect(try await queue.backlog?.onLease == none)
      let delivery = try await queue.next()
      #expect(try await eventually { try await queue.backlog?.waiting == 4 })
      #expect(try await queue.backlog?.onLease == none.map { $0 + 1 })
      try await queue.settle(delivery, publishing: [])
      #expect(try await eventually { try await queue.backlog?.waiting == 4 })
      #expect(try await queue.backlog?.onLease == none)
    }
  }

  @Test("a released message counts as waiting again", arguments: BrokerKind.allCases.filter(\.countsLeases))
  func released(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish(0..<2)
      let delivery = try await queue.next()
      try await queue.release([delivery])
      let backlog = try #require(try await queue.backlog)
      #expect(Backlog(waiting: backlog.waiting, onLease: backlog.onLease) == Backlog(waiting: 2, onLease: 0))
    }
  }

  @Test("lines have no backlog") func lines() async throws {
    #expect(try await LineQueue(input: 0, output: 1).backlog == nil)
  }

  #if Redis
    @Test("a stream reports the age of its oldest message, on lease or not, and none if it is empty")
    func age() async throws {
      try await withRedisServer { server in
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        #expect(try await queue.backlog == Backlog(waiting: 0, onLease: 0))
        // According to its id, it is from 2001.
        try await server.command(["XADD", "stream", "1000000000000-0", "body", "{}"])
        let age = try #require(try await queue.backlog?.oldestAge)
        #expect(age > .seconds(700_000_000))
        let delivery = try await queue.next()
        #expect(try #require(try await queue.backlog?.oldestAge) >= age)
        try await queue.settle(delivery, publishing: [])
        #expect(try await queue.backlog == Backlog(waiting: 0, onLease: 0))
        // This id does not come from the server's clock.
        try await server.command(["XADD", "stream", "99999999999999-0", "body", "{}"])
        #expect(try await queue.backlog == Backlog(waiting: 1, onLease: 0))
      }
    }

    @Test("a user of Redis who may not ask for the time still gets the counts")
    func rights() async throws {
      try await withRedisServer { server in
        try await server.command([
          "ACL", "SETUSER", "worker", "on", ">secret", "~*", "+@stream", "+@scripting", "+@transaction",
          "+type", "+auth",
        ])
        let url = server.url("stream").replacing("redis://", with: "redis://worker:secret@")
        let queue = try Queues().open(url, defaultQueue: "x")
        try await queue.publish(0..<3)
        #expect(try await queue.backlog == Backlog(waiting: 3, onLease: 0))
      }
    }
  #endif
}
