import PushQueueing
import Queueing
import Testing

/// The answers to devices, and the pushes that are sent again.
@Suite("Push queue: sent again", .timeLimit(.minutes(5)))
struct AskingTests {
  @Test("missed pushes are sent again as they were offered, the oldest first", arguments: StoreKind.allCases)
  func resending(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let body = (0..<4_000).map { UInt8(truncatingIfNeeded: $0) }
      let pushes = [
        offer("a"), offer("b", expires: start + hour, collapse: "mine", body: body), offer("c", body: []),
        offer("d"),
      ]
      let given = try await queue.assign(pushes, at: start)
      try await queue.note(given.map { NotedAnswer($0, .accepted) }, at: start)
      // The device has seen the first and the last push.
      #expect(
        try await queue.ask(4, 3, seen: 0b1001, at: start + second)
          == .resending(2, rejected: 0, expired: 0, superseded: 0))
      let kept = try await place.open().takeAsked(10, at: start + second)
      #expect(kept.map(\.position) == [position(2), position(3)])
      #expect(kept.map(\.resent) == [1, 1])
      for (kept, push) in zip(kept, pushes[1...]) {
        #expect(kept.push.device == push.device)
        #expect(kept.push.token == push.token)
        #expect(kept.push.message == push.message)
        #expect(kept.push.expires == push.expires)
        #expect(kept.push.collapseID == push.collapseID)
        #expect(kept.push.headers == push.headers)
        #expect(kept.push.body == push.body)
      }
      #expect(
        try await queue.counts()
          == ["assigned": 4, "sent": 4, "accepted": 4, "receipts": 2, "asked": 2, "resent": 2])
    }
  }

  @Test("what is handed out is left alone by others until its lease is over", arguments: StoreKind.allCases)
  func lease(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b", "c"])
      _ = try await queue.ask(3, 2, at: start)
      #expect(try await queue.taken(at: start) == [1, 2])
      let other = try place.open()
      #expect(try await other.taken(at: start + second) == [])
      #expect(try await other.taken(at: start + 59 * second) == [])
      #expect(try await other.takeAsked(10, at: start + minute).map(\.resent) == [2, 2])
      try await other.note([NotedAnswer(position(1), .accepted)], at: start + minute)
      #expect(try await other.taken(at: start + 2 * minute) == [2])
      // A push is sent again three times at most.
      #expect(try await other.taken(at: start + 4 * minute) == [])
      #expect(try await queue.counts()["resent"] == 5)
    }
  }

  @Test(
    "a push that could not be sent now stays to be sent, and does not count", arguments: StoreKind.allCases)
  func later(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      _ = try await queue.ask(2, 1, at: start)
      for turn in 0..<5 as Range<Int64> {
        #expect(try await queue.takeAsked(10, at: start + turn * minute).map(\.resent) == [1])
        try await queue.note([NotedAnswer(position(1), .later)], at: start + turn * minute)
        #expect(try await queue.takeAsked(10, at: start + turn * minute + second).isEmpty)
      }
      #expect(try await queue.counts()["resent"] == nil)
      #expect(try await queue.taken(at: start + day / 2) == [1])
    }
  }

  @Test("pushes of a device are taken together, those of the next after them", arguments: StoreKind.allCases)
  func together(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      for device in [tablet, phone] { try await queue.accept(["a", "b", "c", "d"], to: device) }
      _ = try await queue.ask(4, 3, of: tablet, at: start)
      _ = try await queue.ask(4, 3, of: phone, at: start + 1)
      #expect(
        try await queue.takeAsked(2, at: start + 2).map(\.position)
          == (1...3).map { position($0, of: tablet) })
      #expect(try await queue.takeAsked(2, at: start + 2).map(\.position) == (1...3).map { position($0) })
      #expect(try await queue.takeAsked(2, at: start + 2).isEmpty)
    }
  }

  @Test("the same question gets the same answer", arguments: StoreKind.allCases)
  func idempotent(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let given = try await queue.assign(["a", "b", "c", "d", "e"].map { offer($0) }, at: start)
      try await queue.note(
        [NotedAnswer(given[0], .rejected)] + given[1...].map { NotedAnswer($0, .accepted) }, at: start)
      let answer = MissedAnswer.resending(3, rejected: 1, expired: 0, superseded: 0)
      #expect(try await queue.ask(5, 4, at: start) == answer)
      #expect(try await place.open().ask(5, 4, at: start + 2 * second) == answer)
      #expect(try await queue.taken(at: start + 3 * second) == [2, 3, 4])
      #expect(try await queue.ask(5, 4, at: start + 4 * second) == answer)
      try await queue.note(given[1...].map { NotedAnswer($0, .accepted) }, at: start + 5 * second)
      #expect(try await queue.ask(5, 4, at: start + 6 * second) == answer)
      // A push is not sent again within 30 s.
      #expect(try await queue.taken(at: start + 7 * second) == [])
      #expect(try await queue.ask(5, 4, at: start + 33 * second) == answer)
      #expect(try await queue.taken(at: start + 33 * second) == [2, 3, 4])
      #expect(try await queue.counts()["asked"] == 4)
    }
  }

  @Test("a push is sent again 3 times at most", arguments: StoreKind.allCases)
  func thrice(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      for turn in 0..<5 as Range<Int64> {
        let now = start + turn * minute
        let isOver = turn >= 3
        #expect(
          try await queue.ask(2, 1, at: now)
            == .resending(isOver ? 0 : 1, rejected: 0, expired: isOver ? 1 : 0, superseded: 0))
        #expect(try await queue.taken(at: now) == (isOver ? [] : [1]))
        try await queue.note([NotedAnswer(position(1), .accepted)], at: now)
      }
      #expect(try await queue.counts()["resent"] == 3)
    }
  }

  @Test("what is in flight is not sent again", arguments: StoreKind.allCases)
  func inFlight(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      _ = try await queue.assign([offer("a")], at: start)
      try await queue.accept(["b"])
      #expect(try await queue.ask(2, 1, at: start) == .nothing)
      #expect(try await queue.taken(at: start) == [])
      try await queue.note([NotedAnswer(position(1), .accepted)], at: start)
      #expect(
        try await queue.ask(2, 1, at: start + 2 * second)
          == .resending(1, rejected: 0, expired: 0, superseded: 0))
    }
  }

  @Test("what has been seen is not sent again", arguments: StoreKind.allCases)
  func seen(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b", "c"])
      #expect(try await queue.ask(3, 2, seen: 0b111, at: start) == .nothing)
      #expect(try await queue.ask(3, 2, seen: 0b001, at: start + 2 * second) == .nothing)
      #expect(try await queue.counts() == ["assigned": 3, "sent": 3, "accepted": 3, "receipts": 3])
      // The device sees the push before it is sent again.
      try await queue.accept(["d", "e"])
      _ = try await queue.ask(5, 1, at: start + 4 * second)
      #expect(try await queue.receipt(5, seen: 0b11, at: start + 5 * second) == .noted(Holes()))
      #expect(try await queue.taken(at: start + 5 * second) == [])
      #expect(try await queue.counts()["late"] == 1)
    }
  }

  @Test("what has expired is never sent again", arguments: StoreKind.allCases)
  func expired(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a"], expires: start + minute)
      try await queue.accept(["b"])
      _ = try await queue.ask(2, 1, at: start)
      #expect(try await queue.taken(at: start + minute) == [])
      #expect(
        try await queue.ask(2, 1, at: start + minute) == .resending(0, rejected: 0, expired: 1, superseded: 0)
      )
      while try await queue.tidy(at: start + minute) {}
      #expect(
        try await queue.ask(2, 1, at: start + 2 * minute)
          == .resending(0, rejected: 0, expired: 1, superseded: 0))
    }
  }

  @Test("a push lives for 7 days at most", arguments: StoreKind.allCases)
  func longest(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"], expires: Int64.max)
      #expect(
        try await queue.ask(2, 1, at: start + 7 * day - 1)
          == .resending(1, rejected: 0, expired: 0, superseded: 0))
      #expect(
        try await queue.ask(2, 1, at: start + 7 * day + 2 * second)
          == .resending(0, rejected: 0, expired: 1, superseded: 0))
    }
  }

  @Test("of a sender's collapse id, only the newest is sent again", arguments: StoreKind.allCases)
  func superseded(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"], collapse: "score")
      try await queue.accept(["c"], collapse: "other")
      try await queue.accept(["d"])
      #expect(try await queue.ask(4, 3, at: start) == .resending(2, rejected: 0, expired: 0, superseded: 1))
      #expect(try await queue.taken(at: start) == [2, 3])
      // One of these pushes is superseded before it is sent again.
      try await queue.accept(["e"])
      try await queue.accept(["f"], collapse: "x")
      try await queue.accept(["g"])
      _ = try await queue.ask(7, 2, at: start + 4 * second)
      try await queue.accept(["h"], collapse: "x")
      #expect(try await queue.taken(at: start + 5 * second) == [5])
    }
  }

  @Test("what APNs refuses the second time is not tried again", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b", "c"])
      _ = try await queue.ask(3, 2, at: start)
      #expect(try await queue.taken(at: start) == [1, 2])
      try await queue.note([NotedAnswer(position(1), .rejected)], at: start)
      #expect(
        try await queue.ask(3, 2, at: start + minute) == .resending(1, rejected: 1, expired: 0, superseded: 0)
      )
      try await queue.note([NotedAnswer(position(2), .dead)], at: start + minute)
      #expect(try await queue.taken(at: start + day / 2) == [])
      #expect(
        try await queue.counts()
          == ["assigned": 3, "sent": 3, "accepted": 3, "receipts": 1, "asked": 2, "resent": 2])
      #expect(
        try await queue.assign([offer("d")], at: start + minute) == [position(1, epoch: start / 1_000 + 60)])
    }
  }

  @Test("a device that is unknown, of another epoch or greedy gets nothing", arguments: StoreKind.allCases)
  func refusals(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      #expect(try await queue.ask(2, 1, of: tablet, at: start) == .unknownDevice)
      #expect(try await queue.ask(2, 1, epoch: 7, at: start) == .otherEpoch)
      #expect(try await queue.ask(2, 101, at: start) == .tooMany)
      #expect(try await queue.receipt(2, seen: 3, of: tablet, at: start) == .unknownDevice)
      #expect(try await queue.receipt(2, seen: 3, epoch: 7, at: start) == .otherEpoch)
      #expect(try await queue.counts()["receipts"] == nil)
      // The refused questions do not count, so the device may ask at once.
      #expect(try await queue.ask(2, 1, at: start) == .resending(1, rejected: 0, expired: 0, superseded: 0))
    }
  }

  @Test("numbers of a stranger may be anything", arguments: StoreKind.allCases)
  func strangers(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      var now = start
      for last in [Int64.min, -1, 0, 1, 3, 64, 1 << 32, Int64.max] {
        for count in [Int64.min, -1, 0, 1, 100] {
          now += 3 * minute
          _ = try await queue.ask(last, count, seen: .max, at: now)
          _ = try await queue.receipt(last, seen: .max, summarized: last, at: now)
        }
      }
      #expect(
        try await queue.counts() == ["assigned": 2, "sent": 2, "accepted": 2, "receipts": 2, "summaries": 2])
    }
  }

  @Test(
    "a device may ask once in 2 s, and 30 times an hour, whatever process it asks",
    arguments: StoreKind.allCases)
  func rates(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queues = [try place.open(), try place.open()]
      try await queues[0].accept(["a", "b"])
      #expect(try await queues[0].ask(2, 1, seen: 3, at: start) == .nothing)
      #expect(try await queues[1].ask(2, 1, seen: 3, at: start + 500) == .tooSoon(1_500))
      // Receipts have a limit of their own. A receipt that comes too soon is not noted.
      #expect(try await queues[1].receipt(2, seen: 0, at: start + 500) == .noted(Holes()))
      #expect(try await queues[0].receipt(2, seen: 3, at: start + 501) == .tooSoon(1_999))
      for turn in 1..<30 as Range<Int64> {
        #expect(try await queues[Int(turn % 2)].ask(2, 1, seen: 3, at: start + turn * 2 * second) == .nothing)
      }
      #expect(try await queues[0].ask(2, 1, seen: 3, at: start + minute) == .tooSoon(59 * minute))
      #expect(try await queues[0].ask(2, 1, seen: 3, at: start + hour) == .nothing)
      // Somebody has set the clock back.
      #expect(try await queues[0].ask(2, 1, seen: 3, at: start - day) == .nothing)
    }
  }
}
