import Enriching
import Fetching
import Misbehaving
import Notifications
import TestSupport
import Testing

/// Whatever the input, the output is the same bytes, or the same bytes with an insertion.
@Suite("Payloads of random bytes and with random changes", .timeLimit(.minutes(5)))
struct FuzzTests {
  @Test("never crash, and go out intact", arguments: 0..<10)
  func survive(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixtures = [Fixtures.payloads, Fixtures.envelopes].flatMap {
      Fixtures.files(in: $0, ending: ".json").filter { !$0.hasSuffix(".expected.json") }
    }
    try await withTemporaryDirectory { store in
      try await withNameServer { names in
        try await withHostileServer { server in
          var settings = try EnrichmentSettings.reaching(server.port, store: store)
          settings.fetching.nameServers = names.address
          if seed >= 8 { settings.writing = [.inPlace] }
          let enricher = try Enricher(settings: settings)
          let photo = server.url(.serve(Response(.file("\(Fixtures.media)/photo.jpg"))))
          var payloads: [PushMessage] = []
          for round in 0..<300 {
            var bytes = (0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if round % 10 != 0, let path = fixtures.randomElement(using: &random) {
              let text = String(decoding: try Files.read(path), as: UTF8.self)
              bytes = Array(text.replacing("https://media.example", with: photo).utf8)
              random.change(&bytes)
            }
            if let payload = try? PushMessage(bytes) { payloads.append(payload) }
          }
          // Some changed bytes are still JSON, and some of these ask for media. `Payload` refuses the rest.
          // How many are left depends on the server's port. One payload without changes is added.
          #expect(payloads.count > 20)
          payloads.append(try payload(naming: photo))
          let enriched = await withTaskGroup(of: Bool.self) { group in
            for payload in payloads {
              group.addTask { await Self.isEnriched(payload, enricher, inPlace: seed >= 8) }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
          }
          #expect(enriched > 0)
        }
      }
    }
  }

  private static func references(_ message: PushMessage?) -> [MediaReference] {
    message?.payloads.flatMap { $0.mediaReferences() } ?? []
  }

  /// Checks the outcome, and returns whether the payload was enriched.
  private static func isEnriched(_ payload: PushMessage, _ enricher: Enricher, inPlace: Bool) async -> Bool {
    // "Received" two minutes from now, so that a machine that stalls makes no difference.
    switch await enricher.enrich(payload, received: .now + .seconds(120)).outcome {
    case .unmodified(let bytes, let failure):
      #expect(bytes == payload.bytes)
      #expect(failure.reason != .deadlineExceeded)
      return false
    case .enriched(let bytes):
      #expect(bytes.count <= 4_096)
      guard !inPlace else {
        let (found, before) = (Self.references(try? PushMessage(bytes)), Self.references(payload))
        #expect(found.contains { $0.url.hasPrefix("https://cdn.example/") })
        #expect(Set(found.map(\.path)).isSubset(of: before.map(\.path)))
        return true
      }
      let result = try? PushMessage(bytes)
      #expect(result?.payloads.contains { $0.object["attachments"] != nil } == true)
      // In several payloads, there are several insertions. A null may become an object.
      guard payload.payloads.count == 1, payload.bytes.firstRange(of: Array("null".utf8)) == nil else {
        var rest = bytes[...]
        let kept = payload.bytes.replacing(Array("null".utf8), with: [])
        #expect(kept.allSatisfy { byte in rest.popFirst { $0 == byte } })
        return true
      }
      let same = zip(bytes, payload.bytes).prefix { $0 == $1 }.count
      let sameAtEnd = zip(bytes.reversed(), payload.bytes.reversed()).prefix { $0 == $1 }.count
      #expect(same + sameAtEnd >= payload.bytes.count)
      return true
    }
  }
}

extension SeededGenerator {
  /// Returns a number from 0 to `bound` - 1.
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Changes, removes or doubles a few bytes, or replaces them by tokens that mean something in
  /// JSON or URLs.
  fileprivate mutating func change(_ bytes: inout [UInt8]) {
    let tokens = [
      "\"", "{", "}", "[", "]", ",", ":", "\\", "\\u0000", "\\ud800", "null", "1e999", "-", "%00", "@", "//",
      "?", "#",
      "\r\n", "\u{feff}", "é", "http://127.0.0.1/", "http://[::]/", String(repeating: "a", count: 300),
    ]
    for _ in 0..<(1 + below(3)) {
      let place = below(max(1, bytes.count))
      let end = min(bytes.count, place + 1 + below(8))
      switch below(4) {
      case 0: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: next()) }
      case 1: bytes.removeSubrange(min(place, end)..<end)
      case 2: bytes.insert(contentsOf: bytes[min(place, end)..<end], at: place)
      default: bytes.insert(contentsOf: tokens[below(tokens.count)].utf8, at: place)
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Drops everything up to the first element that fits. Returns false if there is none.
  fileprivate mutating func popFirst(where fits: (UInt8) -> Bool) -> Bool {
    guard let index = firstIndex(where: fits) else { return false }
    self = self[(index + 1)...]
    return true
  }
}
