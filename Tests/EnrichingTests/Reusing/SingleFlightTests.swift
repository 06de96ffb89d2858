@testable import Enriching
import TestSupport
import Testing

@Suite("SingleFlight", .timeLimit(.minutes(5)))
struct SingleFlightTests {
  typealias Strings = SingleFlight<String, String>

  /// Joins a flight. `waiting` counts the caller when it is about to wait.
  private static func join(_ flights: Strings, waiting: Counter) -> Task<Strings.Role, Never> {
    Task { await flights.join("a") { waiting.add() } }
  }

  /// Starts a flight and lets callers wait for it.
  /// - Returns: the waiting tasks and the number of the flight.
  private static func start(_ flights: Strings, followers: Int) async throws -> (
    [Task<Strings.Role, Never>], UInt64
  ) {
    guard case .lead(let number) = await flights.join("a", willWait: {}) else { throw Missing() }
    let waiting = Counter()
    let tasks = (0..<followers).map { _ in join(flights, waiting: waiting) }
    try #require(await eventually { flights.waiterCount(of: "a") == followers })
    #expect(waiting.count == followers)
    return (tasks, number)
  }

  private struct Missing: Error {}

  @Test("all waiters get the shared value, and the next caller leads again") func shared() async throws {
    let flights = Strings()
    let (tasks, number) = try await Self.start(flights, followers: 20)
    flights.complete("a", flight: number, with: .shared("x"))
    for task in tasks { #expect(await task.value.word == "take x") }
    #expect(await flights.join("a", willWait: {}).word == "lead")
  }

  @Test("all waiters get a failure, and fetch on their own if a value cannot be shared") func others()
    async throws
  {
    for (completion, word) in [
      (Strings.Completion.failed(Failure(.httpStatus, "404")), "fail"), (.unshareable, "alone"),
    ] {
      let flights = Strings()
      let (tasks, number) = try await Self.start(flights, followers: 5)
      flights.complete("a", flight: number, with: completion)
      for task in tasks { #expect(await task.value.word == word) }
      #expect(flights.waiterCount(of: "a") == nil)
    }
  }

  @Test("the last waiter continues an abandoned flight, as often as needed") func abandoned()
    async throws
  {
    let flights = Strings()
    let (tasks, first) = try await Self.start(flights, followers: 4)
    flights.complete("a", flight: first, with: .abandoned)
    var leaders: [UInt64] = []
    for count in [3, 2, 1] {
      #expect(flights.waiterCount(of: "a") == count)
      leaders.append(try #require(flights.flight(of: "a")))
      flights.complete("a", flight: try #require(leaders.last), with: .abandoned)
    }
    // Former leaders can no longer complete it.
    for number in leaders.dropLast() + [first] {
      flights.complete("a", flight: number, with: .shared("late"))
    }
    #expect(flights.waiterCount(of: "a") == 0)
    flights.complete("a", flight: try #require(flights.flight(of: "a")), with: .abandoned)
    #expect(flights.waiterCount(of: "a") == nil)
    var words: [String] = []
    for task in tasks { words.append(await task.value.word) }
    #expect(words == ["lead", "lead", "lead", "lead"])
  }

  @Test("a stale value is fetched again, once for all callers that joined later") func stale() async throws {
    let flights = Strings()
    let (tasks, first) = try await Self.start(flights, followers: 4)
    flights.complete("a", flight: first, with: .staleForLaterCallers("x"))
    // One of the callers leads the next flight. The others joined before it started.
    let second = try #require(flights.flight(of: "a"))
    #expect(flights.waiterCount(of: "a") == 3)
    let later = Self.join(flights, waiting: Counter())
    try #require(await eventually { flights.waiterCount(of: "a") == 4 })
    flights.complete("a", flight: second, with: .staleForLaterCallers("y"))
    var words: [String] = []
    for task in tasks { words.append(await task.value.word) }
    #expect(words.sorted() == ["lead", "take y", "take y", "take y"])
    #expect(await later.value.word == "lead")
  }

  @Test("a cancelled caller leaves, and the others stay") func cancelled() async throws {
    let flights = Strings()
    let (tasks, number) = try await Self.start(flights, followers: 6)
    for task in tasks.prefix(3) { task.cancel() }
    for task in tasks.prefix(3) { #expect(await task.value.word == "cancelled") }
    flights.complete("a", flight: number, with: .shared("x"))
    for task in tasks.suffix(3) { #expect(await task.value.word == "take x") }
    let early = Task { () -> Strings.Role in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      _ = await flights.join("a", willWait: {})
      return await flights.join("a", willWait: {})
    }
    #expect(await early.value.word == "cancelled")
  }

  @Test("flights of different keys are independent") func keys() async {
    let flights = Strings()
    #expect(await flights.join("a", willWait: {}).word == "lead")
    #expect(await flights.join("b", willWait: {}).word == "lead")
  }

  /// Many callers at once, with leaders that give up, are cancelled, fail or succeed.
  @Test("every caller gets a role") func everybody() async throws {
    let flights = Strings()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          let task = Task {
            guard case .lead(let flight) = await flights.join("\(number % 7)", willWait: {}) else { return }
            await Task.yield()
            let completion: Strings.Completion =
              switch number % 5 {
              case 0: .abandoned
              case 1: .staleForLaterCallers("x")
              case 2: .unshareable
              case 3: .failed(Failure(.httpStatus, "404"))
              default: .shared("x")
              }
            flights.complete("\(number % 7)", flight: flight, with: completion)
          }
          if number % 3 == 0 { task.cancel() }
          await task.value
        }
      }
    }
    for key in 0..<7 { #expect(flights.waiterCount(of: "\(key)") == nil) }
  }
}

extension SingleFlight.Role where Value == String {
  fileprivate var word: String {
    switch self {
    case .lead: "lead"
    case .take(let value): "take \(value)"
    case .fail: "fail"
    case .fetchAlone: "alone"
    case .cancelled: "cancelled"
    }
  }
}
