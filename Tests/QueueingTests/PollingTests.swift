import Queueing
import Synchronization
import Testing

/// Notes the pauses instead of waiting, so that no test depends on the time.
@Suite("Polling") struct PollingTests {
  private static let hour = Duration.seconds(3_600)
  private static let doubling =
    ([6, 12, 24, 48] + Array(repeating: 50, count: 19) + [100, 200, 200]).map { Duration.milliseconds($0) }
  private static let found = [Delivery(message: Message(body: []), attempt: 1, receipt: "1")]

  /// What a queue answers. It answers `nothing` some times before.
  enum Answer { case found, none, unavailable }

  @Test("the pauses double, go on from one wait to the next, and begin again after a delivery")
  func pauses() async throws {
    let pauses = Mutex<[Duration]>([])
    let polling = Polling { pause in pauses.withLock { $0.append(pause) } }
    let steps: [(nothing: Int, Answer, expected: ArraySlice<Duration>)] = [
      (3, .found, Self.doubling[0..<3]), (26, .found, Self.doubling[...]), (0, .found, []),
      // After an error, nothing is known to have come.
      (2, .unavailable, Self.doubling[0..<2]), (2, .found, Self.doubling[2..<4]),
      (1, .none, Self.doubling[0..<1]), (1, .found, Self.doubling[0..<1]),
    ]
    for (number, step) in steps.enumerated() {
      var asked = 0
      do throws(QueueError) {
        let answer = try await polling.poll(for: Self.hour) { () throws(QueueError) in
          asked += 1
          if asked <= step.nothing { return [] }
          if step.1 == .unavailable { throw .unavailable("gone") }
          return step.1 == .found ? Self.found : nil
        }
        #expect(answer == (step.1 == .found ? Self.found : nil), "step \(number)")
      } catch {
        #expect(step.1 == .unavailable && error == .unavailable("gone"), "step \(number)")
      }
      #expect(asked == step.nothing + 1, "step \(number)")
      #expect(pauses.withLock { exchange(&$0, with: []) }[...] == step.expected, "step \(number)")
    }
  }

  @Test("no pause is longer than the rest of the time, and without time there is none") func rest()
    async throws
  {
    let pauses = Mutex<[Duration]>([])
    let polling = Polling { pause in
      pauses.withLock { $0.append(pause) }
      try? await Task.sleep(for: pause)
    }
    #expect(try await polling.poll(for: .zero) { [] } == [])
    #expect(pauses.withLock { $0 } == [])
    let time = Duration.milliseconds(20)
    #expect(try await polling.poll(for: time) { [] } == [])
    #expect(pauses.withLock { $0.reduce(.zero, +) } <= time)
  }

  @Test("a cancelled task asks once, and does not pause") func cancelled() async throws {
    let pauses = Mutex<[Duration]>([])
    let polling = Polling { pause in pauses.withLock { $0.append(pause) } }
    let asked = Mutex(0)
    let task = Task {
      // Not before the cancellation below.
      while !Task.isCancelled { await Task.yield() }
      return try await polling.poll(for: Self.hour) {
        asked.withLock { $0 += 1 }
        return []
      }
    }
    task.cancel()
    #expect(try await task.value == [])
    #expect(asked.withLock { $0 } == 1)
    #expect(pauses.withLock { $0 } == [])
  }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  defer { value = new }
  return value
}
