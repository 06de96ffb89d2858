#if Redis
  import Queueing
  @testable import RedisQueueing
  import Testing

  @Suite("Redis: who is alive")
  struct ConsumerCensusTests {
    private let us = "push-enricher-us"

    private func holder(_ name: String = "push-enricher-them.0", idle: Duration = .zero) -> RedisConsumer {
      RedisConsumer(name: name, pending: 1, idle: idle)
    }

    private func mark(_ number: Int) -> RedisConsumer {
      RedisConsumer(name: "push-enricher-them=\(number)", pending: 0)
    }

    /// The consumers that count as ended after these looks.
    private func ended(after looks: [[RedisConsumer]]) -> [ConsumerCensus.Ended] {
      var census = ConsumerCensus()
      for look in looks { census.look(at: look, from: us, as: "\(us).3", ownMarks: ["\(us)=5"]) }
      return census.ended
    }

    private var them: ConsumerCensus.Ended {
      ConsumerCensus.Ended(
        consumer: "push-enricher-them.0", process: "push-enricher-them", marks: "push-enricher-them=7")
    }

    @Test("a consumer that holds something and has left no new mark for eight looks has ended")
    func silent() {
      let look = [holder(), mark(7)]
      #expect(ended(after: Array(repeating: look, count: 8)) == [])
      #expect(ended(after: Array(repeating: look, count: 9)) == [them])
    }

    @Test("a new mark is a sign of life, even with a lower number, and so is a removed mark")
    func signs() {
      let silence = Array(repeating: [holder(), mark(7)], count: 8)
      for look in [[holder(), mark(8)], [holder(), mark(6)], [holder()]] {
        #expect(ended(after: silence + [look]) == [])
        #expect(ended(after: silence + [look] + silence) == [])
        #expect(ended(after: silence + [look] + silence + [[holder(), mark(7)]]) == [them])
      }
      // The worker was killed before anybody saw a mark of it, or all of its marks were removed.
      #expect(ended(after: Array(repeating: [holder()], count: 9)).map(\.marks) == [""])
    }

    @Test("a mark that is never removed neither hides signs of life nor counts as one")
    func leftover() {
      // Redis sorts the marks as text.
      let looks = (10..<30).map { [holder(), mark($0), mark(3)] }
      for count in 1...looks.count { #expect(ended(after: Array(looks.prefix(count))) == []) }
      let silence = Array(repeating: [holder(), mark(29), mark(3)], count: 8)
      #expect(ended(after: looks + silence).map(\.marks) == ["push-enricher-them=29push-enricher-them=3"])
    }

    @Test("a consumer that holds nothing need not give signs, and that time does not count")
    func idle() {
      let nothing = [RedisConsumer(name: "push-enricher-them.0", pending: 0), mark(7)]
      let looks = Array(repeating: nothing, count: 20) + Array(repeating: [holder(), mark(7)], count: 8)
      #expect(ended(after: looks) == [])
    }

    @Test("all former names of a process end with it")
    func names() {
      let look = [holder(), holder("push-enricher-them.12"), mark(7)]
      #expect(
        ended(after: Array(repeating: look, count: 9)).map(\.consumer)
          == ["push-enricher-them.0", "push-enricher-them.12"])
    }

    @Test("released messages have no owner, and our own process never ends")
    func ourselves() {
      let look = [
        holder(ConsumerState.free), holder("\(us).3"), holder("\(us).2"),
        RedisConsumer(name: "\(us).1", pending: 0), RedisConsumer(name: "\(us)=5", pending: 0),
        // Redis was restored from a copy that still had this mark.
        RedisConsumer(name: "\(us)=4", pending: 0),
      ]
      var census = ConsumerCensus()
      for _ in 0..<20 { census.look(at: look, from: us, as: "\(us).3", ownMarks: ["\(us)=5"]) }
      #expect(census.ended == [])
      #expect(census.unused.sorted() == ["\(us).1", "\(us)=4"])
      #expect(census.takeUnexplained() == ["\(us).2"])
      #expect(census.takeUnexplained() == [])
    }

    @Test("for consumers without signs of life, such as workers of version 0.1.0, the idle time counts")
    func others() {
      for name in ["push-enricher-1x2y3z", "somebody", "a.b", "a=b", ""] {
        #expect(ended(after: Array(repeating: [holder(name, idle: .seconds(89))], count: 20)) == [])
        #expect(
          ended(after: [[holder(name, idle: .seconds(90))]])
            == [ConsumerCensus.Ended(consumer: name, process: name, marks: "")])
      }
    }
  }
#endif
