import PushQueueing
import Queueing
import Testing

/// What the push queue forgets, and when.
@Suite("Push queue: forgetting", .timeLimit(.minutes(5)))
struct TidyingTests {
  @Test("expired pushes of many devices are forgotten in steps", arguments: StoreKind.allCases)
  func expired(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      let devices = (0..<1_200).map { AppDevice(app: "app", device: "\($0)") }
      _ = try await queue.assign(devices.map { offer("a", to: $0, expires: start + minute) }, at: start)
      _ = try await queue.assign(devices.map { offer("b", to: $0, expires: start + hour) }, at: start)
      #expect(try await !queue.tidy(at: start + second))
      var steps = 1
      while try await queue.tidy(at: start + minute + hour) { steps += 1 }
      #expect(12...20 ~= steps)
      #expect(try await queue.counts() == ["assigned": 2_400, "expired": 1_200])
      #expect(
        try await queue.assign([offer("a", to: devices[7]), offer("b", to: devices[7])], at: start + minute)
          == [position(3, of: devices[7]), position(2, of: devices[7])])
    }
  }

  @Test("the oldest pushes go when they take too much", arguments: StoreKind.allCases)
  func size(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open(bytes: 4_000_000)
      let body = [UInt8](repeating: 0x61, count: 4_000)
      for batch in 0..<20 {
        let pushes = (0..<100).map { number in
          offer("\(batch)-\(number)", to: AppDevice(app: "app", device: "\(number)"), body: body)
        }
        let given = try await queue.assign(pushes, at: start + Int64(batch))
        try await queue.note(given.map { NotedAnswer($0, .accepted) }, at: start + Int64(batch))
      }
      var steps = 0
      while try await queue.tidy(at: start + minute) { steps += 1 }
      #expect(1...25 ~= steps)
      for number in [0, 50, 99] {
        let device = AppDevice(app: "app", device: "\(number)")
        guard
          case .resending(let kept, 0, let gone, 0, _) = try await queue.ask(
            21, 20, of: device, at: start + minute)
        else {
          Issue.record("nothing is kept")
          continue
        }
        #expect(kept + gone == 20)
        #expect(6...10 ~= kept)
      }
      let positions = try await queue.takeAsked(1_000, at: start + minute).filter {
        $0.position.device.device == "50"
      }
      #expect(positions.map(\.position.position) == Array(Int64(21 - positions.count)...20))
    }
  }

  @Test("only pushes count for the size, not devices", arguments: StoreKind.allCases)
  func devices(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      // The content of such a push has 46 bytes, and 64 are added.
      let devices = (0..<1_000).map { AppDevice(app: "app", device: "\($0)") }
      let queue = try place.open(bytes: 2_000 * 110)
      for message in ["a", "b"] {
        let given = try await queue.assign(devices.map { offer(message, to: $0) }, at: start)
        try await queue.note(given.map { NotedAnswer($0, .accepted) }, at: start)
      }
      #expect(try await !queue.tidy(at: start + minute))
      let smaller = try place.open(bytes: 2_000 * 110 - 1)
      while try await smaller.tidy(at: start + minute) {}
      #expect(
        try await queue.ask(3, 2, of: devices[0], at: start + minute)
          == .resending(1, rejected: 0, expired: 1, superseded: 0))
      #expect(
        try await queue.ask(3, 2, of: devices[1], at: start + minute)
          == .resending(2, rejected: 0, expired: 0, superseded: 0))
    }
  }

  @Test("pushes without an answer stay, and do not keep newer ones", arguments: StoreKind.allCases)
  func unanswered(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open(bytes: 100_000)
      let body = [UInt8](repeating: 0x61, count: 4_000)
      let devices = (0..<150).map { AppDevice(app: "app", device: "\($0)") }
      let older = devices.map { offer("a", to: $0, body: body) }
      let first = try await queue.assign(older, at: start)
      let newer = try await queue.assign(devices.map { offer("b", to: $0, body: body) }, at: start)
      try await queue.note(newer.map { NotedAnswer($0, .accepted) }, at: start)
      var steps = 0
      while try await queue.tidy(at: start + minute) { steps += 1 }
      #expect(1...5 ~= steps)
      for device in devices {
        // The push b is no longer kept, and a is still under way.
        #expect(
          try await queue.ask(3, 2, of: device, at: start + minute)
            == .resending(0, rejected: 0, expired: 1, superseded: 0))
      }
      #expect(try await queue.assign(older, at: start + minute) == first)
    }
  }

  @Test(
    "a device that is away for 30 days is forgotten, and begins a new epoch", arguments: StoreKind.allCases)
  func unseen(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      for device in [phone, tablet] { try await queue.accept(["a"], to: device) }
      let end = start + 30 * day
      #expect(try await queue.ask(1, 0, of: tablet, at: end) == .nothing)
      while try await queue.tidy(at: end) {}
      #expect(try await queue.ask(1, 0, at: end) == .nothing)
      for device in [phone, tablet] {
        #expect(try await queue.ask(1, 0, of: device, at: end + 30 * day + 1) == .unknownDevice)
        #expect(
          try await queue.receipt(1, seen: 1, of: device, at: end + 30 * day + 1) == .unknownDevice)
      }
      while try await queue.tidy(at: end + 32 * day) {}
      // The token is the same, so it is not the reason for the new epoch.
      let epoch = (end + 32 * day) / 1_000
      for device in [phone, tablet] {
        #expect(
          try await queue.assign([offer("a", to: device)], at: end + 32 * day)
            == [position(1, of: device, epoch: epoch)])
      }
    }
  }

  @Test("a clock that is set back loses nothing", arguments: StoreKind.allCases)
  func clock(_ kind: StoreKind) async throws {
    try await kind.withPlace { place in
      let queue = try place.open()
      try await queue.accept(["a", "b"])
      _ = try await queue.ask(2, 1, at: start)
      let back = start - 3 * day
      while try await queue.tidy(at: back) {}
      #expect(try await queue.taken(at: back) == [1])
      #expect(try await queue.assign([offer("c"), offer("a")], at: back) == [position(3), position(1)])
      try await queue.note(
        [NotedAnswer(position(1), .accepted), NotedAnswer(position(3), .accepted)], at: back)
      #expect(try await queue.receipt(3, seen: 0b111, at: back) == .noted(Holes()))
      #expect(try await queue.counts()["receipts"] == 3)
    }
  }
}
