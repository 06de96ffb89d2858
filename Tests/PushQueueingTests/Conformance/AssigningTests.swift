import PushQueueing
import Queueing
import Testing

/// Which position a push gets.
@Suite("Push queue: positions", .timeLimit(.minutes(5)))
struct AssigningTests {
  @Test("positions of a device begin with 1, and have no gaps", arguments: StoreKind.allCases)
  func positions(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let first = try await queue.assign(
        [offer("a"), offer("b", to: tablet), offer("c"), offer("d")], at: start)
      #expect(first == [position(1), position(1, of: tablet), position(2), position(3)])
      #expect(try await place.open().assign([offer("e")], at: start + second) == [position(4)])
      #expect(try await queue.assign([], at: start) == [])
      let other = AppDevice(app: "com.example.other", device: phone.device)
      #expect(try await queue.assign([offer("f", to: other)], at: start) == [position(1, of: other)])
      #expect(try await queue.counts() == ["assigned": 6])
      #expect(try await queue.counts(of: other.app) == ["assigned": 1])
    }
  }

  @Test("a message that has a position gets the same one", arguments: StoreKind.allCases)
  func repeated(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      #expect(
        try await queue.assign([offer("a"), offer("b"), offer("a")], at: start)
          == [position(1), position(2), position(1)])
      try await queue.note([NotedAnswer(position(2), .rejected)], at: start)
      #expect(
        try await place.open().assign([offer("b"), offer("a")], at: start) == [position(2), position(1)])
      #expect(try await queue.counts() == ["assigned": 2, "sent": 1, "rejected": 1])
    }
  }

  @Test("only the last pushes of a device are kept", arguments: StoreKind.allCases)
  func keep(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open(keep: 3)
      try await queue.accept(["a", "b", "c", "d", "e"])
      #expect(try await queue.assign([offer("f")], at: start) == [position(6)])
      #expect(try await queue.assign([offer("d")], at: start) == [position(4)])
      // The queue has forgotten this message, so it gets a new position.
      #expect(try await queue.assign([offer("b")], at: start) == [position(7)])
      #expect(
        try await queue.ask(7, 6, at: start + second) == .resending(1, rejected: 0, expired: 4, superseded: 0)
      )
      #expect(try await queue.taken(at: start + second) == [5])
    }
  }

  @Test("one push is kept, even of a batch", arguments: StoreKind.allCases)
  func keepOne(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open(keep: 1)
      #expect(
        try await queue.assign([offer("a"), offer("b"), offer("b")], at: start)
          == [position(1), position(2), position(2)])
      #expect(try await queue.assign([offer("b")], at: start) == [position(2)])
    }
  }

  @Test("a device with another token begins a new epoch", arguments: StoreKind.allCases)
  func token(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      let later = start + 10 * second
      let epoch = later / 1_000
      #expect(
        try await queue.assign([offer("b", token: "ff"), offer("c", token: "ff")], at: later)
          == [position(1, epoch: epoch), position(2, epoch: epoch)])
      #expect(try await queue.ask(2, 1, at: later) == .otherEpoch)
      #expect(try await queue.ask(2, 1, epoch: epoch, at: later) == .nothing)
      // An answer to a push of the old epoch does not count.
      try await queue.note([NotedAnswer(position(1), .dead)], at: later)
      #expect(try await queue.assign([offer("d", token: "ff")], at: later) == [position(3, epoch: epoch)])
      // Epochs grow, even within a second, and when the clock is set back.
      #expect(try await queue.assign([offer("e")], at: later) == [position(1, epoch: epoch + 1)])
      #expect(
        try await queue.assign([offer("f", token: "ff")], at: later - day) == [position(1, epoch: epoch + 2)])
    }
  }

  @Test(
    "after a dead token, the log is empty and the next push begins a new epoch", arguments: StoreKind.allCases
  )
  func dead(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a"])
      let last = try await queue.assign([offer("b"), offer("c")], at: start)
      try await queue.note(last.map { NotedAnswer($0, .dead) }, at: start)
      #expect(try await queue.counts() == ["assigned": 3, "sent": 3, "accepted": 1, "dead": 2])
      #expect(
        try await queue.ask(3, 2, at: start + second) == .resending(0, rejected: 0, expired: 2, superseded: 0)
      )
      #expect(try await queue.taken(at: start + second) == [])
      #expect(
        try await queue.assign([offer("a"), offer("d")], at: start + second)
          == [position(1, epoch: start / 1_000 + 1), position(2, epoch: start / 1_000 + 1)])
    }
  }

  @Test("a push that has expired when its token is dead counts once", arguments: StoreKind.allCases)
  func deadAndExpired(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let given = try await queue.assign([offer("a"), offer("b", expires: start + minute)], at: start)
      try await queue.note(given.map { NotedAnswer($0, .dead) }, at: start + minute)
      #expect(try await queue.counts() == ["assigned": 2, "sent": 1, "dead": 1, "expired": 1])
    }
  }

  @Test("only the first final answer to a position counts", arguments: StoreKind.allCases)
  func answers(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let given = try await queue.assign(["a", "b", "c"].map { offer($0) }, at: start)
      try await queue.note(
        [
          NotedAnswer(given[0], .later), NotedAnswer(given[0], .accepted), NotedAnswer(given[0], .rejected),
          NotedAnswer(given[1], .rejected), NotedAnswer(given[1], .accepted), NotedAnswer(given[2], .expired),
          NotedAnswer(given[2], .accepted), NotedAnswer(position(9), .accepted),
          NotedAnswer(position(1, of: tablet), .accepted),
        ], at: start)
      #expect(
        try await queue.counts() == ["assigned": 3, "sent": 2, "accepted": 1, "rejected": 1, "expired": 1])
      #expect(try await queue.ask(4, 3, at: start) == .resending(1, rejected: 1, expired: 1, superseded: 0))
    }
  }

  @Test("names may have any characters, and may be long", arguments: StoreKind.allCases)
  func names(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let names =
        ["", "\0", "a\0b", "é", "e\u{301}", "'\"", "\r\n", "*", "{x}", "\u{10FEFF}"] + [
          "x" + String(repeating: "y", count: 5_000)
        ]
      let devices =
        names.map { AppDevice(app: $0, device: $0) } + [
          AppDevice(app: "a", device: "\0b"), AppDevice(app: "a\0", device: "b"),
        ]
      for device in devices {
        #expect(
          try await queue.assign([offer(device.device, to: device)], at: start) == [position(1, of: device)])
      }
      for device in devices {
        #expect(try await queue.assign([offer("2", to: device)], at: start) == [position(2, of: device)])
      }
      try await queue.accept(["3"], to: devices[2])
      #expect(
        try await queue.ask(4, 1, of: devices[2], at: start)
          == .resending(1, rejected: 0, expired: 0, superseded: 0))
      #expect(try await queue.takeAsked(1, at: start).map(\.position) == [position(3, of: devices[2])])
      #expect(
        try await Set(queue.statistics(of: nil, days: today...today).map(\.app)) == Set(devices.map(\.app)))
    }
  }

  @Test("three threads that offer each message twice give each one position", arguments: StoreKind.allCases)
  func threads(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let devices = (0..<30).map { AppDevice(app: "app", device: "\($0)") }
      let pushes = (0..<3_000).map { offer("m\($0)", to: devices[$0 % 30], expires: start + day) }
      let offers = (pushes + pushes).shuffled()
      let given = try await withThrowingTaskGroup(of: [(String, QueuePosition)].self) { group in
        for thread in 0..<3 {
          group.addTask {
            let queue = try place.open(keep: 1_000)
            var given: [(String, QueuePosition)] = []
            let own = stride(from: thread, to: offers.count, by: 3).map { offers[$0] }
            for batch in stride(from: 0, to: own.count, by: 20).map({ own[$0..<min($0 + 20, own.count)] }) {
              given += zip(batch.map(\.message), try await queue.assign(Array(batch), at: start))
            }
            return given
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(given.count == 6_000)
      let byMessage = Dictionary(grouping: given) { $0.0 }.mapValues { Set($0.map(\.1)) }
      #expect(byMessage.values.allSatisfy { $0.count == 1 })
      let positions = Set(given.map(\.1))
      #expect(positions == Set(devices.flatMap { device in (1...100).map { position($0, of: device) } }))
      #expect(try await place.open().counts() == ["assigned": 3_000])
    }
  }
}
