#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// A worker takes from a long queue through subscriptions that last.
  @Suite("RabbitMQ: lasting subscriptions", .timeLimit(.minutes(2)))
  struct LastingSubscriptionTests {
    private static let most = 16

    @Test(
      "as many messages are on lease as the worker allows, and at its stop each of them was worked on",
      arguments: ["quorum", "classic"])
    func stop(queueType: String) async throws {
      // On a busy machine, the subscription may end before, and another one begin.
      for _ in 0..<8 { if try await isLasting(queueType) { return } }
      Issue.record("no subscription has lasted")
    }

    /// Whether a subscription lasts until the stop.
    private func isLasting(_ queueType: String) async throws -> Bool {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(queueType)"
      let queue = try server.open(url)
      try await queue.publish(0..<400)
      queue.prefetch(upTo: Prefetch(places: Self.most, limit: Self.most))
      var (held, ids) = ([Delivery](), [String]())
      while ids.count < 200 {
        let taken = try #require(
          try await queue.receive(min(4, Self.most - held.count), waitingUpTo: longEnough))
        #expect(taken.allSatisfy { $0.attempt == 1 })
        ids += taken.map(\.message.id)
        held += taken
        #expect(try await queue.out.onLease <= Self.most)
        // In any order, as payloads are done.
        held.shuffle()
        while held.count > Self.most / 2 { try await queue.settle(held.removeLast(), publishing: []) }
      }
      let (_, _, lasting, begun) = try await queue.out
      guard 1...9 ~= begun, lasting > 0 else { return false }

      await queue.stopReceiving()
      for delivery in held { try await queue.settle(delivery, publishing: []) }
      while let rest = try await queue.receiveRest(5, waits: true) {
        ids += rest.map(\.message.id)
        for delivery in rest { try await queue.settle(delivery, publishing: []) }
      }
      #expect(ids.count <= 200 + Self.most)
      #expect(try await queue.out.onLease == 0)
      let others = try await server.open(url).receive(400, waitingUpTo: .zero) ?? []
      #expect(others.allSatisfy { $0.attempt == 1 })
      #expect(ids + others.map(\.message.id) == (0..<400).map { "m\($0)" })
      return true
    }

    @Test("a queue counts as empty once the last message has come and is settled")
    func empty() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<300)
      var ids = try await begin(at: queue).map(\.message.id)
      while try await !queue.isEmpty {
        let taken = try await queue.receive(8, waitingUpTo: .milliseconds(50)) ?? []
        ids += taken.map(\.message.id)
        for delivery in taken { try await queue.settle(delivery, publishing: []) }
      }
      #expect(ids == (0..<300).map { "m\($0)" })
    }

    @Test("what the worker does not take brings no others, and goes back after a while")
    func untaken() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let queue = try server.open(url)
      try await queue.publish(0..<300)
      let (held, settled) = try await hold(at: queue)
      // The first settlements bring messages, and the next ones find them.
      for part in [held[..<4], held[4..<8], held[8...]] {
        for delivery in part { try await queue.settle(delivery, publishing: []) }
        try await Task.sleep(for: TakingChannel.moment + aMoment)
      }
      #expect(try await queue.out.lasting == 0)
      #expect(try await queue.out.onLease <= 8)
      #expect(try await eventually { try await queue.out.onLease == 0 })
      #expect(
        try await eventually {
          try await server.open(url).contents().count == 300 - settled - held.count
        })
    }

    @Test("a message whose result is being published makes room for another, up to the limit of the worker")
    func publishing() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<300)
      let limit = Self.most + 8
      let (held, _) = try await hold(at: queue, limit: limit)
      let begun = try await queue.out.begun
      for delivery in held[..<12] {
        await #expect(throws: FullQueue.error) {
          try await queue.settle(delivery, publishing: [Publication(delivery.message, into: FullQueue())])
        }
      }
      var others: [Delivery] = []
      while others.count < 8 {
        others += try #require(try await queue.receive(8 - others.count, waitingUpTo: longEnough))
        #expect(try await queue.out.onLease <= limit)
      }
      #expect(try await queue.out.begun > begun)
      for delivery in held + others { try await queue.settle(delivery, publishing: []) }
      #expect(try await queue.out.publishing == 0)
    }

    @Test(
      "a message that goes back, or to the end of its queue, brings no other",
      arguments: ["release", "requeue", "look"])
    func back(way: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let queue = try server.open(url)
      try await queue.publish(0..<300)
      let (held, _) = try await hold(at: queue)
      switch way {
      case "release": try await queue.release([held[0]])
      case "requeue": try await queue.requeue(held[0])
      default: _ = try await queue.receive(1, waitingUpTo: .zero)
      }
      #expect(try await queue.out.lasting == 0)
      try await Task.sleep(for: aMoment)
      _ = try await queue.isEmpty
      #expect(try await queue.out.onLease == (way == "look" ? held.count + 1 : held.count - 1))
    }

    @Test("long messages end a subscription that would bring too many of them")
    func long() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<300)
      let long = (0..<40).map { Message(id: "long\($0)", body: [UInt8](repeating: 1, count: 100_000)) }
      try await queue.publish(long)
      var ids = try await begin(at: queue).map(\.message.id)
      while try await !queue.isEmpty {
        let taken = try await queue.receive(8, waitingUpTo: longEnough) ?? []
        ids += taken.map(\.message.id)
        if taken.contains(where: { $0.message.body.count > 1_000 }) {
          #expect(try await queue.out.lasting == 0)
        }
        for delivery in taken { try await queue.settle(delivery, publishing: []) }
      }
      #expect(ids == (0..<300).map { "m\($0)" } + long.map(\.id))
    }

    @Test("long messages after short ones go back, in order, if there is no memory for them")
    func excess() async throws {
      // On a busy machine, the subscription may have ended before, or the long ones come one by one.
      for _ in 0..<8 { if try await hasExcess() { return } }
      Issue.record("none has gone back")
    }

    /// Whether messages have gone back because there was no memory for them.
    private func hasExcess() async throws -> Bool {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      let short = (0..<304).map { message($0) }
      let header = Header("h", String(repeating: "v", count: 110_000))
      let long = (0..<40).map {
        Message(id: "long\($0)", body: [UInt8](repeating: 1, count: 131_072), headers: [header])
      }
      try await queue.publish(short + long)
      queue.prefetch(upTo: Prefetch(places: Self.most, limit: Self.most))
      var (taken, held) = ([Delivery](), [Delivery]())
      while taken.count < short.count {
        // At the end, all that are on lease are short ones.
        while held.count > Self.most / 2, short.count - taken.count > Self.most - held.count {
          try await queue.settle(held.removeFirst(), publishing: [])
        }
        let more = try #require(
          try await queue.receive(Self.most - held.count, waitingUpTo: longEnough))
        (taken, held) = (taken + more, held + more)
      }
      // All at once, so that as many long ones come.
      let tags = Set(held.compactMap { RabbitMQReceipt($0.receipt)?.tag })
      try await queue.client.use { (session) throws(QueueError) in try session.taking.acknowledge(tags) }
      while taken.count < short.count + long.count {
        let more = try #require(try await queue.receive(1, waitingUpTo: longEnough))
        let size = try await queue.client.use { (session) throws(QueueError) in
          session.replies.inbox.arrivedSize
        }
        #expect(size < Inbox.maximumSize + 262_144)
        taken += more
        for delivery in more { try await queue.settle(delivery, publishing: []) }
      }
      #expect(taken.map(\.message) == short + long)
      #expect(try await queue.isEmpty)
      return Set(taken.map(\.attempt)) == [1, 2]
    }

    @Test("once messages for four batches have arrived, all later ones go back, but only from a worker")
    func room() {
      let sizes = [1_000_000, 100_000, 1, 200_000, 1]
      func inbox(isLimited: Bool) -> Inbox {
        var inbox = Inbox()
        inbox.isLimited = isLimited
        for (index, size) in sizes.enumerated() {
          let message = Message(id: "", body: [UInt8](repeating: 1, count: size))
          let delivery = AMQPDelivery(
            isFromGet: false, tag: UInt64(index), message: message, isRedelivered: false, crashes: 0)
          _ = inbox.keep(.delivered(delivery))
        }
        return inbox
      }
      var limited = inbox(isLimited: true)
      #expect(limited.unsettled == [0, 1, 2, 3, 4])
      #expect(limited.handedOut == [])
      let first = limited.takeArrived(1).map(\.tag)
      #expect(first == [0])
      #expect(limited.handedOut == [0])
      #expect(limited.arrivedSize == 100_000)
      let (rest, excess) = (limited.takeArrived(9).map(\.tag), limited.takeExcess())
      #expect(rest == [1])
      #expect(excess == [2, 3, 4])
      #expect(!limited.hasExcess)
      var unlimited = inbox(isLimited: false)
      let all = unlimited.takeArrived(9).map(\.tag)
      #expect(all == [0, 1, 2, 3, 4])
    }

    /// Takes and settles the first messages, which come one by one.
    private func begin(at queue: RabbitMQQueue, limit: Int = most) async throws -> [Delivery] {
      queue.prefetch(upTo: Prefetch(places: Self.most, limit: limit))
      var first: [Delivery] = []
      // On a busy machine they do not arrive all at once.
      while first.count < Self.most {
        first += try #require(try await queue.receive(Self.most - first.count, waitingUpTo: longEnough))
      }
      for delivery in first { try await queue.settle(delivery, publishing: []) }
      return first
    }

    /// Takes as many messages of a lasting subscription as it brings at once. Tries again if it has ended before
    /// that, as it does if a busy machine holds up its messages.
    /// - Returns: them, and how many were settled before.
    private func hold(
      at queue: RabbitMQQueue, limit: Int = most
    ) async throws -> (held: [Delivery], settled: Int) {
      var settled = 0
      for _ in 0..<8 {
        settled += try await begin(at: queue, limit: limit).count
        var held: [Delivery] = []
        while held.count < Self.most {
          held += try #require(try await queue.receive(4, waitingUpTo: longEnough))
        }
        if try await queue.out.lasting == 1 { return (held, settled) }
        try await queue.release(held)
      }
      throw NoSubscription()
    }

    private struct NoSubscription: Error {}
  }

  extension RabbitMQQueue {
    /// How many messages are on lease, for how many of them a result is being published, how many
    /// subscriptions last, and how many have begun.
    fileprivate var out: (onLease: Int, publishing: Int, lasting: Int, begun: Int) {
      get async throws {
        try await client.use { (session) throws(QueueError) in
          (
            session.replies.inbox.unsettled.count, session.replies.inbox.publishing.count,
            session.taking.lasting.count, session.taking.subscriptionCount
          )
        }
      }
    }
  }
#endif
