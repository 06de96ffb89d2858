@testable import Enriching
import TestSupport
import Testing

@Suite("Flights", .timeLimit(.minutes(2)))
struct FlightsTests {
  typealias Strings = Flights<String, String>

  /// Joins, and says that it is about to wait.
  private static func join(_ flights: Strings, waiting: Counter) -> Task<Strings.Turn, Never> {
    Task { await flights.join("a") { waiting.add() } }
  }

  /// One that leads, and others that wait for it; `late` ones, as far as the leader cannot know whether they wait already.
  private static func start(_ flights: Strings, followers: Int) async throws -> (
    [Task<Strings.Turn, Never>], UInt64
  ) {
    guard case .lead(let number) = await flights.join("a", willWait: {}) else { throw Missing() }
    let waiting = Counter()
    let tasks = (0..<followers).map { _ in join(flights, waiting: waiting) }
    try #require(await eventually { flights.waiting(for: "a") == followers })
    #expect(waiting.count == followers)
    return (tasks, number)
  }

  private struct Missing: Error {}

  @Test("give what comes of the first to all who wait, and the next one is another") func shared()
    async throws
  {
    let flights = Strings()
    let (tasks, number) = try await Self.start(flights, followers: 20)
    flights.land("a", number: number, .shared("x"))
    for task in tasks { #expect(await task.value.word == "take x") }
    #expect(await flights.join("a", willWait: {}).word == "lead")
  }

  @Test("give failures to all, and leave to each what is for nobody else") func others() async throws {
    for (landing, word) in [
      (Strings.Landing.failed(Failure(.httpStatus, "404")), "fail"), (.own, "own"),
    ] {
      let flights = Strings()
      let (tasks, number) = try await Self.start(flights, followers: 5)
      flights.land("a", number: number, landing)
      for task in tasks { #expect(await task.value.word == word) }
      #expect(flights.waiting(for: "a") == nil)
    }
  }

  @Test("that are abandoned go on with one of those who wait, as often as it takes") func abandoned()
    async throws
  {
    let flights = Strings()
    let (tasks, first) = try await Self.start(flights, followers: 4)
    flights.land("a", number: first, .abandoned)
    // The one who came last: there is the most time left.
    var leaders: [UInt64] = []
    for count in [3, 2, 1] {
      #expect(flights.waiting(for: "a") == count)
      leaders.append(try #require(flights.number(of: "a")))
      flights.land("a", number: try #require(leaders.last), .abandoned)
    }
    // What has been handed over is not the old ones' any more.
    for number in leaders.dropLast() + [first] { flights.land("a", number: number, .shared("late")) }
    #expect(flights.waiting(for: "a") == 0)
    flights.land("a", number: try #require(flights.number(of: "a")), .abandoned)
    #expect(flights.waiting(for: "a") == nil)
    var words: [String] = []
    for task in tasks { words.append(await task.value.word) }
    #expect(words == ["lead", "lead", "lead", "lead"])
  }

  @Test("that say nothing of the time after them are repeated once for all who came later") func past()
    async throws
  {
    let flights = Strings()
    let (tasks, first) = try await Self.start(flights, followers: 4)
    flights.land("a", number: first, .past("x"))
    // One of them makes it, before which the others have come.
    let second = try #require(flights.number(of: "a"))
    #expect(flights.waiting(for: "a") == 3)
    let later = Self.join(flights, waiting: Counter())
    try #require(await eventually { flights.waiting(for: "a") == 4 })
    flights.land("a", number: second, .past("y"))
    var words: [String] = []
    for task in tasks { words.append(await task.value.word) }
    #expect(words.sorted() == ["lead", "take y", "take y", "take y"])
    #expect(await later.value.word == "lead")
  }

  @Test("let go whoever is cancelled, and nobody else") func cancelled() async throws {
    let flights = Strings()
    let (tasks, number) = try await Self.start(flights, followers: 6)
    for task in tasks.prefix(3) { task.cancel() }
    for task in tasks.prefix(3) { #expect(await task.value.word == "cancelled") }
    flights.land("a", number: number, .shared("x"))
    for task in tasks.suffix(3) { #expect(await task.value.word == "take x") }
    let early = Task { () -> Strings.Turn in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      _ = await flights.join("a", willWait: {})
      return await flights.join("a", willWait: {})
    }
    #expect(await early.value.word == "cancelled")
  }

  @Test("of different things have nothing to do with each other") func keys() async {
    let flights = Strings()
    #expect(await flights.join("a", willWait: {}).word == "lead")
    #expect(await flights.join("b", willWait: {}).word == "lead")
  }

  /// Many at once, with leaders that give up, are cancelled, fail and succeed: everybody gets an answer.
  @Test("leave nobody behind") func everybody() async throws {
    let flights = Strings()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          let task = Task {
            guard case .lead(let flight) = await flights.join("\(number % 7)", willWait: {}) else { return }
            await Task.yield()
            let landing: Strings.Landing =
              switch number % 5 {
              case 0: .abandoned
              case 1: .past("x")
              case 2: .own
              case 3: .failed(Failure(.httpStatus, "404"))
              default: .shared("x")
              }
            flights.land("\(number % 7)", number: flight, landing)
          }
          if number % 3 == 0 { task.cancel() }
          await task.value
        }
      }
    }
    for key in 0..<7 { #expect(flights.waiting(for: "\(key)") == nil) }
  }
}

extension Flights.Turn where Value == String {
  fileprivate var word: String {
    switch self {
    case .lead: "lead"
    case .take(let value): "take \(value)"
    case .fail: "fail"
    case .own: "own"
    case .cancelled: "cancelled"
    }
  }
}
