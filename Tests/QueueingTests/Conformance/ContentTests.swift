import Queueing
import TestSupport
import Testing

@Suite("Queue: contents", .timeLimit(.minutes(5)))
struct ContentTests {
  static let bodies: [[UInt8]] = [
    [],
    [0],
    Array(0...255),
    Array("{\n  \"aps\": {}\r\n}\n".utf8),
    Array(#"{"aps":{"alert":"Ünïcode 🎉 \u0000"}}"#.utf8),
    [UInt8](repeating: 0xFF, count: 4_096),
    (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31) },
  ]

  @Test("bodies come out byte for byte", arguments: BrokerKind.allCases)
  func bodies(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      let messages = Self.bodies.map { Message(body: $0) }
      try await queue.publish(messages)
      #expect(try await queue.browse(100) == messages)
      #expect(try await queue.take(messages.count).map(\.message) == messages)
    }
  }

  @Test("headers come out in their order, including repeated ones", arguments: BrokerKind.allCases)
  func headers(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      let unsorted = [
        Header("apns-topic", "com.example.app"), Header("x", "first"), Header("apns-priority", "10"),
        Header("x", ""), Header("x", "first"), Header("token", String(repeating: "0f", count: 2_000)),
        Header("text", "\"quoted\" \\ /, {\"a\":[1]}\n\t\u{1}é e\u{301} 🎉"), Header("Ünï code", "name"),
      ]
      let headers = kind.keepsHeaderOrder ? unsorted : Self.sorted(unsorted)
      let messages = [
        Message(id: "Ünï \"code\"", body: [1], headers: headers), Message(id: "none", body: [2]),
      ]
      try await queue.publish(messages)
      let received = try await queue.take(2)
      #expect(received.map(\.message) == messages)
      // Compared as bytes, because a composed and a decomposed é are equal as strings.
      #expect(
        received[0].message.headers.map { Array($0.value.utf8) } == headers.map { Array($0.value.utf8) })
      #expect(received[0].message.header("x") == "first")
    }
  }

  /// Sorts headers by the bytes of their names. Headers with the same name keep their order.
  private static func sorted(_ headers: [Header]) -> [Header] {
    let names = Set(headers.map(\.name)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return names.flatMap { name in headers.filter { $0.name == name } }
  }

  @Test("equal messages are separate messages", arguments: BrokerKind.allCases)
  func equal(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([message(1), message(1)])
      try await queue.publish([message(1)])
      let deliveries = try await queue.take(3)
      #expect(deliveries.map(\.message) == [message(1), message(1), message(1)])
      #expect(Set(deliveries.map(\.receipt)).count == 3)
      try await queue.settle(deliveries[1], publishing: [])
      try await queue.release([deliveries[0], deliveries[2]])
      // A busy quorum queue takes them back a moment later.
      #expect(try await eventually { try await queue.contents() == ["m1", "m1"] })
    }
  }

  @Test("messages are there for consumers that come later", arguments: BrokerKind.allCases)
  func later(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      try await broker.open("incoming").publish(0..<200)
      #expect(try await broker.open("incoming").ids() == (0..<200).map { "m\($0)" })
    }
  }
}
