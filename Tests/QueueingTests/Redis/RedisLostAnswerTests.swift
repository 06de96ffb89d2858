#if Redis
  import BuiltInQueueing
  import Glibc
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  @Suite("Redis: lost answers", .timeLimit(.minutes(5)))
  struct RedisLostAnswerTests {
    @Test("a lease is certain until its end, unless a request to end it may have been carried out")
    func sureLeases() {
      let delivery = Delivery(message: message(1), attempt: 1, receipt: "1-1/consumer/1")
      var state = ConsumerState(leaseDuration: longEnough)
      #expect(state.lease(of: delivery) == nil)
      state.take([delivery], state.sign())
      #expect(state.lease(of: delivery)?.isSure == true)
      state.askToEnd([delivery])
      state.askToEnd([delivery])
      state.refuseToEnd([delivery])
      #expect(state.lease(of: delivery)?.isSure == false)
      state.refuseToEnd([delivery])
      #expect(state.lease(of: delivery)?.isSure == true)
      state.leave([delivery])
      #expect(state.lease(of: delivery) == nil)
    }

    @Test("a server that does not answer is given up while there is time for a sign of life")
    func timeout() { #expect(RedisStore.replyTimeout * 2 <= QueueLease.duration) }

    @Test("a lease that has ended is never certain again, whatever signs of life follow")
    func lateSign() {
      let delivery = Delivery(message: message(1), attempt: 1, receipt: "1-1/consumer/1")
      var state = ConsumerState(leaseDuration: .zero)
      state.take([delivery], state.sign())
      state.confirm(state.sign())
      #expect(state.lease(of: delivery)?.isSure == false)
    }

    @Test("a delivery is known as long as it is in hand, however long ago its lease has ended")
    func longOutage() {
      var state = ConsumerState(leaseDuration: .seconds(-1_000))
      for number in 1...2 {
        let delivery = Delivery(message: message(number), attempt: 1, receipt: "\(number)-1/consumer/1")
        state.take([delivery], state.sign())
      }
      let former = state.consumer
      state.rename()
      state.look(at: [RedisConsumer(name: former, pending: 2)])
      let search = state.search()
      #expect(search.names == [former])
      #expect(search.known.sorted() == ["1-1", "2-1"])
    }

    @Test("a sign of life removes all marks that may exist, and is not repeated within its interval")
    func marks() {
      var state = ConsumerState(leaseDuration: .seconds(80))
      let first = state.sign()
      #expect(first.isNew && first.oldMarks == [])
      // Its reply is lost.
      let second = state.sign()
      #expect(second.isNew && second.oldMarks == [first.mark])
      state.withdraw(second)
      let third = state.sign()
      #expect(third.oldMarks == [first.mark])
      #expect(third.mark != second.mark)
      state.confirm(third)
      let fourth = state.sign()
      #expect(!fourth.isNew && fourth.mark == third.mark && fourth.oldMarks == [])
      state.withdraw(fourth)
      #expect(state.sign().mark == third.mark)
    }

    @Test(
      "messages handed out to a receiver that has given up come back at once, and those in hand do not")
    func givenUp() async throws {
      var options = RedisServer.Options()
      // A slow disk would delay answers, too.
      options.lines = ["appendfsync no"]
      try await withRedisServer(options) { server in
        let queue = try queue(at: server.url("stream"))
        try await Queues().open(server.url("stream"), defaultQueue: "x").publish(0..<6)
        var inHand: [Delivery] = []
        #expect(
          try await eventually {
            inHand += (try? await queue.receive(2 - inHand.count, waitingUpTo: .zero)) ?? []
            return inHand.count == 2
          })
        let process = try #require(await server.pid)
        #expect(kill(process, SIGSTOP) == 0)
        let failure = await failure { () async throws(QueueError) in
          _ = try await queue.receive(3, waitingUpTo: .zero)
        }
        #expect(kill(process, SIGCONT) == 0)
        guard case .unavailable = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        // The abandoned request is carried out now, before or after the next one.
        var rest: [Delivery] = []
        #expect(
          try await eventually {
            rest += (try? await queue.receive(9, waitingUpTo: .zero)) ?? []
            return Set(rest.map(\.message.id)).count == 4
          })
        #expect(Set(rest.map(\.message.id)) == ["m2", "m3", "m4", "m5"])
        #expect(rest.allSatisfy { $0.attempt == 1 })
        #expect(
          try await eventually {
            for delivery in inHand + rest { _ = try? await queue.settle(delivery, publishing: []) }
            return (try? await queue.browse(1).isEmpty) == true
          })
      }
    }

    /// A queue with a short timeout.
    private func queue(at text: String) throws -> RedisQueue {
      let url = try RedisURL(text, defaultStream: "x")
      let store = try RedisStore(url.server, certificateFile: nil, replyTimeout: .seconds(4))
      return try RedisQueue(
        store: store, stream: url.stream, group: url.group, for: .taking, leaseDuration: .seconds(2))
    }
  }
#endif
