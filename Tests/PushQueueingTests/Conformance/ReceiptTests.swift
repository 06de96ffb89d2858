import PushQueueing
import Queueing
import Testing

/// What devices report in receipts, and what is counted.
@Suite("Push queue: receipts and statistics", .timeLimit(.minutes(5)))
struct ReceiptTests {
  @Test("a receipt counts each position once, with its delay and hour", arguments: StoreKind.allCases)
  func receipts(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b", "c"])
      #expect(
        try await queue.receipt(3, seen: 0b101, summarized: 1, at: start + 8 * second) == .noted(Holes()))
      #expect(
        try await place.open().receipt(3, seen: 0b111, summarized: 1, at: start + 9 * hour) == .noted(Holes())
      )
      #expect(try await queue.receipt(3, seen: .max, summarized: 3, at: start + 10 * hour) == .noted(Holes()))
      var first = DayStatistics(app: phone.app, day: today)
      (first[.assigned], first[.sent], first[.accepted]) = (3, 3, 3)
      (first[.receipts], first[.summaries], first[.delay(8 * second)], first[.hour(16)]) = (2, 1, 2, 2)
      var next = DayStatistics(app: phone.app, day: today + 1)
      (next[.receipts], next[.summaries], next[.delay(9 * hour)], next[.hour(1)]) = (1, 2, 1, 1)
      #expect(try await queue.statistics(of: nil, days: today - 9...today + 9) == [first, next])
      #expect(try await queue.statistics(of: phone.app, days: today...today) == [first])
      #expect(try await queue.statistics(of: "com.example.other", days: today...today) == [])
    }
  }

  @Test(
    "a push may be seen before APNs' answer is noted, and none that was rejected",
    arguments: StoreKind.allCases)
  func early(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let given = try await queue.assign([offer("a"), offer("b")], at: start)
      try await queue.note([NotedAnswer(given[0], .rejected)], at: start)
      _ = try await queue.receipt(2, seen: 3, at: start + second)
      try await queue.note([NotedAnswer(given[1], .accepted)], at: start + 2 * second)
      #expect(
        try await queue.counts() == ["assigned": 2, "sent": 2, "accepted": 1, "rejected": 1, "receipts": 1])
    }
  }

  @Test("a push that was sent again is recovered when it is seen", arguments: StoreKind.allCases)
  func recovered(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      _ = try await queue.ask(2, 1, at: start)
      _ = try await queue.taken(at: start)
      try await queue.note([NotedAnswer(position(1), .accepted)], at: start)
      _ = try await queue.receipt(2, seen: 3, at: start + second)
      _ = try await queue.receipt(2, seen: 3, at: start + minute)
      #expect(
        try await queue.counts() == [
          "assigned": 2, "sent": 2, "accepted": 2, "receipts": 2, "asked": 1, "resent": 1, "recovered": 1,
        ])
    }
  }

  @Test("a device may lose what was sent again, too", arguments: StoreKind.allCases)
  func again(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b", "c"])
      _ = try await queue.ask(3, 1, at: start)
      #expect(try await queue.taken(at: start) == [2])
      try await queue.note([NotedAnswer(position(2), .accepted)], at: start)
      _ = try await queue.receipt(3, seen: 1, at: start + 29 * second)
      #expect(try await queue.taken(at: start + 29 * second) == [])
      for turn in 1..<4 as Range<Int64> {
        _ = try await queue.receipt(3, seen: 1, at: start + turn * minute)
        // The first push is not sent again, because the device has not asked for it.
        #expect(try await queue.taken(at: start + turn * minute) == (turn < 3 ? [2] : []))
        try await queue.note([NotedAnswer(position(2), .accepted)], at: start + turn * minute)
      }
    }
  }

  @Test("lost is what a device with receipts has not seen in time", arguments: StoreKind.allCases)
  func lost(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let silent = AppDevice(app: "com.example.app", device: "silent")
      for device in [phone, tablet, silent] {
        try await queue.accept(["a", "b"], to: device, expires: start + 3 * day)
      }
      _ = try await queue.assign([offer("c", expires: start + 3 * day)], at: start)
      _ = try await queue.receipt(2, seen: 1, at: start + 2 * day)
      // This receipt comes more than 2 days before the pushes expire.
      _ = try await queue.receipt(2, seen: 1, of: tablet, at: start + hour)
      while try await queue.tidy(at: start + 3 * day - 1) {}
      #expect(try await queue.counts()["lost"] == nil)
      // A push without an answer is kept for an hour more.
      while try await queue.tidy(at: start + 3 * day + hour) {}
      let counts =
        [
          "assigned": 7, "sent": 6, "accepted": 6, "receipts": 2, "lost": 1, "expired": 1,
        ] as [String: Int64]
      #expect(try await queue.counts() == counts)
      while try await queue.tidy(at: start + 4 * day) {}
      #expect(try await queue.counts() == counts)
      let days = try await queue.statistics(of: nil, days: today + 3...today + 3)
      #expect(days.map { $0[.lost] } == [1])
    }
  }

  @Test("the statistics of 400 days are kept", arguments: StoreKind.allCases)
  func days(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      for number in 0..<5 as Range<Int64> {
        try await queue.accept(["\(number)"], expires: start + number * day + hour, at: start + number * day)
      }
      while try await queue.tidy(at: start + 402 * day) {}
      #expect(
        try await queue.statistics(of: nil, days: 0...1_000_000).map(\.day) == [
          today + 2, today + 3, today + 4,
        ])
    }
  }
}
