import PushQueueing
import Queueing
import TestSupport
import Testing

@Suite("What a device need not wait for", .timeLimit(.minutes(5)))
struct HolesTests {
  /// What the answer to a receipt says about the positions before the last.
  private static func holes(
    _ queue: any PushQueue, last: Int64, seen: UInt64 = 1, at now: Int64
  ) async throws -> Holes {
    guard case .noted(let holes) = try await queue.receipt(last, seen: seen, at: now) else {
      throw Unanswered()
    }
    return holes
  }

  private struct Unanswered: Error {}

  @Test(
    "is what APNs has refused, what has expired and what a newer push replaces", arguments: StoreKind.allCases
  )
  func ended(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let given = try await queue.assign(
        [
          offer("a"), offer("b"), offer("c", expires: start + minute), offer("d", collapse: "score"),
          offer("e", collapse: "score"), offer("f"), offer("g"),
        ], at: start)
      let answers: [NotedAnswer.Answer] = [.rejected, .expired, .accepted, .accepted, .accepted, .accepted]
      try await queue.note(zip(given, answers).map { NotedAnswer($0, $1) }, at: start)
      // The seventh push is under way for the first time.
      #expect(try await Self.holes(queue, last: 7, at: start) == Holes(gone: 0b110_0000, superseded: 0b1000))
      #expect(
        try await Self.holes(queue, last: 7, seen: 0b100_0001, at: start + 2 * minute)
          == Holes(gone: 0b11_0000, superseded: 0b1000))
      let question = MissedQuestion(device: phone, epoch: start / 1_000, last: 7, count: 2, seen: 0b100_0001)
      #expect(
        try await queue.ask(question, at: start + 4 * minute)
          == .resending(
            2, rejected: 0, expired: 0, superseded: 0, holes: Holes(gone: 0b11_0000, superseded: 0b1000)))
    }
  }

  @Test("is what is no longer kept", arguments: StoreKind.allCases)
  func dropped(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open(keep: 2)
      try await queue.accept((0..<59).map { "\($0)" })
      try await queue.accept(["59"])
      // The last two of 53 positions are still kept.
      #expect(try await Self.holes(queue, last: 60, at: start) == Holes(gone: 1 << 53 - 4))
      #expect(try await Self.holes(queue, last: 60, seen: .max, at: start + minute) == Holes())
    }
  }

  @Test("is what has been sent again as often as it may be", arguments: StoreKind.allCases)
  func exhausted(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      for turn in 1...3 as ClosedRange<Int64> {
        let now = start + turn * minute
        _ = try await queue.ask(2, 1, at: now)
        #expect(try await queue.taken(at: now) == [1])
        try await queue.note([NotedAnswer(position(1), .accepted)], at: now)
        // The last push may still be under way.
        #expect(try await Self.holes(queue, last: 2, at: now + 10 * second) == Holes())
      }
      #expect(try await Self.holes(queue, last: 2, at: start + 4 * minute) == Holes(gone: 2))
    }
  }

  @Test("is what has been sent again that often, even if all answers got lost", arguments: StoreKind.allCases)
  func uncertain(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      _ = try await queue.ask(2, 1, at: start)
      for turn in 0...2 as ClosedRange<Int64> {
        let now = start + turn * minute
        #expect(try await queue.takeAsked(10, at: now).map(\.resent) == [Int(turn) + 1])
        try await queue.note([NotedAnswer(position(1), .uncertain)], at: now)
        #expect(try await queue.taken(at: now + second) == [])
      }
      #expect(try await queue.taken(at: start + hour) == [])
      #expect(try await Self.holes(queue, last: 2, at: start + hour) == Holes(gone: 2))
      #expect(try await queue.counts()["resent"] == 3)
    }
  }
}
