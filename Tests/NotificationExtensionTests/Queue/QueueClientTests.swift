import Foundation
import Notifications
import Serving
import Synchronization
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("Requests to the device API", .timeLimit(.minutes(5))) struct QueueClientTests {
  /// Answers with a status after a delay, and remembers the requests.
  private final class Transport: QueueTransport {
    let status: Int?
    let delay: Duration

    init(_ status: Int?, after delay: Duration = .zero) { (self.status, self.delay) = (status, delay) }

    func post(_ body: Data, to path: String, ticket: String) async throws -> (status: Int, body: Data) {
      // A bad transport may ignore its cancellation, so this one does.
      let end = ContinuousClock.now + delay
      while ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)); await Task.yield() }
      guard let status else { throw CancellationError() }
      return (status, Data(#"{"gone":2,"new":[]}"#.utf8))
    }
  }

  private static func state(_ positions: UInt64...) -> QueueState {
    var state = QueueState()
    for position in positions {
      let mark = QueueMark(position: position, epoch: 7, deviceHash: "d", ticket: "ticket-\(position)")
      _ = state.receive(mark, device: "6F1C") { _ in "d" }
    }
    return state
  }

  @Test(
    "8: has the server answered in time? If not, there is a summary",
    arguments: [
      (202, true), (204, true), (200, true), (401, false), (404, false), (409, false), (413, false),
      (429, false),
      (503, false), (302, false), (nil, false),
    ] as [(Int?, Bool)])
  func answers(status: Int?, isShown: Bool) async {
    let client = QueueClient(app: "com.example.app", transport: Transport(status))
    let answer = isShown ? QueueAnswer(gone: status == 204 ? 0 : 2) : nil
    #expect(await client.ask(for: 2, in: Self.state(1, 4)) == answer ?? QueueAnswer(gone: 0b110))
    #expect(await client.sendReceipt(of: Self.state(1, 4)) == answer)
  }

  @Test("8: a late answer counts as none, and nobody waits for it") func late() async {
    let transport = Transport(202, after: .seconds(30))
    let start = ContinuousClock.now
    let client = QueueClient(app: "com.example.app", transport: transport, limit: .milliseconds(100))
    #expect(await client.ask(for: 2, in: Self.state(1, 4)) == QueueAnswer(gone: 0b110))
    #expect(ContinuousClock.now - start < .seconds(10))
    let patient = QueueClient(app: "com.example.app", transport: Transport(202, after: .milliseconds(100)))
    #expect(await patient.ask(for: 2, in: Self.state(1, 4)) == QueueAnswer(gone: 2))
  }

  @Test("have the ticket of the last push, and the documented members") func requests() async throws {
    let requests = Mutex<[String]>([])
    let routes = ["/v1/missed", "/v1/receipts"].map { path in
      Route(path, .post) { request in
        let fields = ["Authorization", "Content-Type"].map { request.value(of: $0) ?? "" }.joined(
          separator: " ")
        let members = (try? JSONDocument(request.body)).map { document in
          document.root.members.map { "\($0.name)=\($0.value.spelling)" }.sorted().joined(separator: " ")
        }
        requests.withLock { $0.append("\(request.target) \(fields) \(members ?? "no JSON")") }
        return path == "/v1/missed"
          ? Response(
            status: 202, Array(#"{"resending":1,"gone":2,"replaced":4}"#.utf8), as: "application/json")
          : Response(status: 204)
      }
    }
    try await withServer(routes) { url in
      let client = QueueClient(app: "com.example.app", transport: HTTPTransport(url))
      // 2 arrives after 4. The ticket of 4 counts.
      let answer = await client.ask(for: 2, in: Self.state(1, 4, 2))
      #expect(answer == QueueAnswer(gone: 2, superseded: 4))
      #expect(await client.sendReceipt(of: Self.state(1, 4, 2)) == QueueAnswer())
      // 18 positions were shown in a summary only. All of the last 64 have arrived, but a receipt has only 53
      // of them.
      var full = Self.state(1, 20)
      for position in 21...100 { full = Self.next(full, UInt64(position)) }
      #expect(full.seen == .max)
      #expect(await client.sendReceipt(of: full) != nil)
    }
    let app = #"application/json app="com.example.app""#
    #expect(
      requests.withLock { $0 } == [
        #"/v1/missed Bearer ticket-4 \#(app) count=2 device="6F1C" e=7 last=4 seen=13"#,
        #"/v1/receipts Bearer ticket-4 \#(app) device="6F1C" e=7 last=4 seen=13"#,
        #"/v1/receipts Bearer t100 \#(app) device="6F1C" e=7 last=100 seen=9007199254740991 summarized=18"#,
      ])
  }

  private static func next(_ state: QueueState, _ position: UInt64) -> QueueState {
    var state = state
    _ = state.receive(
      QueueMark(position: position, epoch: 7, deviceHash: "d", ticket: "t\(position)"), device: "6F1C"
    ) { _ in "d" }
    return state
  }

  @Test("go to the device API only: no redirect gets the ticket") func redirect() async throws {
    let requests = Counter()
    let elsewhere = Route("/v1/elsewhere") { _ in
      requests.add()
      return Response(status: 204)
    }
    let missed = Route("/v1/missed", .post) { _ in
      Response(status: 302, fields: [("Location", "/v1/elsewhere")])
    }
    var client: QueueClient?
    try await withServer([elsewhere, missed]) { url in
      let asking = QueueClient(app: "com.example.app", transport: HTTPTransport(url))
      #expect(await asking.ask(for: 2, in: Self.state(1, 4)) == QueueAnswer(gone: 0b110))
      client = asking
    }
    #expect(requests.count == 0)
    // The server does not listen any more.
    #expect(await client?.ask(for: 2, in: Self.state(1, 4)) == QueueAnswer(gone: 0b110))
  }

  @Test("are not made by a device without a push") func fresh() async {
    let client = QueueClient(app: "com.example.app", transport: Transport(204))
    #expect(await client.sendReceipt(of: QueueState()) == nil)
  }
}
