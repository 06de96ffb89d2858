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

    /// Who has ended after these looks.
    private func ended(after looks: [[RedisConsumer]]) -> [ConsumerCensus.Ended] {
      var census = ConsumerCensus()
      for look in looks { census.look(at: look, from: us, as: "\(us).3", ownMarks: ["\(us)=5"]) }
      return census.ended
    }

    private var them: ConsumerCensus.Ended {
      ConsumerCensus.Ended(
        consumer: "push-enricher-them.0", process: "push-enricher-them", marks: "push-enricher-them=7")
    }

    @Test("whoever holds something and has left no new mark for eight looks has ended")
    func silent() {
      let look = [holder(), mark(7)]
      #expect(ended(after: Array(repeating: look, count: 8)) == [])
      #expect(ended(after: Array(repeating: look, count: 9)) == [them])
    }

    @Test("a new mark, even of a lower number, is a sign of life, and so is one that is gone")
    func signs() {
      let silence = Array(repeating: [holder(), mark(7)], count: 8)
      for look in [[holder(), mark(8)], [holder(), mark(6)], [holder()]] {
        #expect(ended(after: silence + [look]) == [])
        #expect(ended(after: silence + [look] + silence) == [])
        #expect(ended(after: silence + [look] + silence + [[holder(), mark(7)]]) == [them])
      }
      // Killed before anybody saw a mark of it, or all marks were removed.
      #expect(ended(after: Array(repeating: [holder()], count: 9)).map(\.marks) == [""])
    }

    @Test("a mark that nobody removes hides no sign of life, and keeps nobody alive")
    func leftover() {
      // In the order of Redis, which is that of text.
      let looks = (10..<30).map { [holder(), mark($0), mark(3)] }
      for count in 1...looks.count { #expect(ended(after: Array(looks.prefix(count))) == []) }
      let silence = Array(repeating: [holder(), mark(29), mark(3)], count: 8)
      #expect(ended(after: looks + silence).map(\.marks) == ["push-enricher-them=29push-enricher-them=3"])
    }

    @Test("whoever holds nothing need not give a sign, and the time until then does not count")
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

    @Test("what was released belongs to nobody, and we never end")
    func ourselves() {
      let look = [
        holder(ConsumerState.free), holder("\(us).3"), holder("\(us).2"),
        RedisConsumer(name: "\(us).1", pending: 0), RedisConsumer(name: "\(us)=5", pending: 0),
        // A copy that the server was restored from had it still.
        RedisConsumer(name: "\(us)=4", pending: 0),
      ]
      var census = ConsumerCensus()
      for _ in 0..<20 { census.look(at: look, from: us, as: "\(us).3", ownMarks: ["\(us)=5"]) }
      #expect(census.ended == [])
      #expect(census.unused.sorted() == ["\(us).1", "\(us)=4"])
      #expect(census.takeUnexplained() == ["\(us).2"])
      #expect(census.takeUnexplained() == [])
    }

    @Test("of who gives no signs, such as a worker of version 0.1.0, the idle time counts")
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
