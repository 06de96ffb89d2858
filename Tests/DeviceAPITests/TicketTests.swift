import PushQueueing
import Supporting
import TestSupport
import Testing

/// Posts each line of a file over one connection, and counts the statuses.
private let poster = """
  import collections, http.client, json, sys
  connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))
  statuses = collections.Counter()
  for line in open(sys.argv[2]):
      path, ticket, body = line.rstrip('\\n').split('\\t')
      connection.request('POST', path, body, {'Authorization': 'Bearer ' + ticket})
      answer = connection.getresponse()
      answer.read()
      statuses[answer.status] += 1
  print(json.dumps(statuses, sort_keys=True))
  """

@Suite("Tickets", .timeLimit(.minutes(5)))
struct TicketTests {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  @Test("of 10,000 that are random, foreign or have a wrong bit, none is accepted") func forged() async throws
  {
    var generator = SeededGenerator(seed: 56)
    try await withAPI(FakePushQueue([.known: .init(), .other: .init()])) { site in
      let right = site.ticket(.known)
      var lines: [String] = []
      for number in 0..<10_000 {
        let ticket: String
        switch number % 4 {
        case 0:
          ticket = String(
            decoding: (0..<22).map { _ in Self.alphabet.randomElement(using: &generator) ?? 0 }, as: UTF8.self
          )
        case 1:
          // Tickets of other devices, epochs and positions.
          let (e, last) = (
            Int64.random(in: 0...9, using: &generator), Int64.random(in: 41...99, using: &generator)
          )
          ticket =
            [
              site.ticket(.other), site.ticket(.known, e: e, last: last), site.ticket(.unknown, e: e),
              site.ticket(AppDevice(app: "com.example", device: AppDevice.known.device)),
            ].randomElement(using: &generator) ?? ""
        case 2: ticket = Self.flip(right, &generator)
        default:
          ticket =
            [String(right.dropLast()), right + "=", right + "A", right.uppercased(), "\(right) \(right)"]
            .randomElement(using: &generator) ?? ""
        }
        let path = ["/v1/missed", "/v1/receipts"].randomElement(using: &generator) ?? ""
        lines.append(
          #"\#(path)\#t\#(ticket)\#t{"app":"\#(AppDevice.known.app)","device":"\#(AppDevice.known.device)","e":7,"last":40,"count":3,"seen":1}"#
        )
      }
      let file = try site.folder.write(Array("\(lines.joined(separator: "\n"))\n".utf8), to: "forged")
      let output = try await site.python(poster, file)
      #expect(output == "{\"401\": 10000}\n")
      #expect(site.queue.calls == 0)
      #expect(try await site.post("/v1/missed").status == 202)
    }
  }

  /// Replaces one of the 64 characters by one that differs in a single bit of six. Two bits of the last
  /// character belong to no byte.
  private static func flip(_ ticket: String, _ generator: inout SeededGenerator) -> String {
    var bytes = Array(ticket.utf8)
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let value = alphabet.firstIndex(of: bytes[place]) ?? 0
    bytes[place] = alphabet[value ^ 1 << Int.random(in: 0..<6, using: &generator)]
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("of the old key are accepted as long as it is in the file") func rotation() async throws {
    try await withAPI { site in
      let (path, old) = (site.folder.path(of: "tickets"), String(repeating: "1f", count: 32))
      let ticket = site.ticket(.known)
      func replace(_ lines: String) async throws {
        try site.folder.write(Array(lines.utf8), to: "new", mode: 0o600)
        try await Command("mv").runSuccessfully([site.folder.path(of: "new"), path])
      }
      let new = String(repeating: "2e", count: 32)
      try await replace("\(new)\n\(old)\n")
      #expect(await eventually { site.ticket(.known) != ticket })
      for ticket in [ticket, site.ticket(.known)] {
        #expect(try await site.post("/v1/receipts", ticket: ticket).status == 204)
      }
      try await replace("\(new)\n")
      #expect(try await eventually { try await site.post("/v1/receipts", ticket: ticket).status == 401 })
      #expect(try await site.post("/v1/receipts").status == 204)
    }
  }
}
