import Synchronization
import Testing

@testable import Enriching
@testable import Fetching

@Suite("PlaceReservation.forEach", .timeLimit(.minutes(5)))
struct ForEachTests {
  @Test("each element is started once, within the limit", arguments: [1, 3, 40])
  func elements(slots: Int) async {
    let reservation = await Self.reserve(of: slots)
    let state = Mutex((running: 0, highest: 0, begun: [Int]()))
    await reservation.forEach(Array(0..<30)) { number in
      state.withLock {
        $0.running += 1
        $0.highest = max($0.highest, $0.running)
        $0.begun.append(number)
      }
      await Task.yield()
      state.withLock { $0.running -= 1 }
      return true
    }
    let (_, highest, begun) = state.withLock { $0 }
    #expect(slots == 1 ? begun == Array(0..<30) : begun.sorted() == Array(0..<30))
    #expect(highest <= slots)
  }

  @Test("without elements nothing is started") func empty() async {
    await Self.reserve(of: 3).forEach([Int]()) { _ in
      Issue.record("an operation was started without an element")
      return true
    }
  }

  @Test("the first element that says stop ends the loop", arguments: [1, 4])
  func stopping(slots: Int) async {
    let reservation = await Self.reserve(of: slots)
    let begun = Mutex(Set<Int>())
    await reservation.forEach(Array(0..<100_000)) { number in
      begun.withLock { _ = $0.insert(number) }
      return number != 2
    }
    let numbers = begun.withLock { $0 }
    #expect(numbers.contains(2))
    #expect(numbers.count < 100_000)
  }

  @Test("a cancelled loop starts no more elements") func cancelled() async {
    let reservation = await Self.reserve(of: 1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await reservation.forEach([1, 2, 3]) { number in
        Issue.record("\(number) was begun")
        return true
      }
    }
    task.cancel()
    await task.value
  }

  /// Reserves one place of `count`.
  private static func reserve(of count: Int) async -> PlaceReservation {
    await Admission(limits: nil, places: count).take(.here)[0]
  }
}
