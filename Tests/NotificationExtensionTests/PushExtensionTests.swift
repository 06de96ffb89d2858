import Foundation
import Synchronization
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("A push in the extension", .timeLimit(.minutes(5))) struct PushExtensionTests {
  /// Remembers the requests, and answers each with the same status. If the status is nil, it never answers.
  private final class Transport: QueueTransport {
    let status: Int?
    /// A bit for each of the positions before the last that will never come.
    let gone: UInt64
    let requests = Mutex<[String]>([])

    init(_ status: Int?, gone: UInt64 = 0) { (self.status, self.gone) = (status, gone) }

    func post(_ body: Data, to path: String, ticket: String) async throws -> (status: Int, body: Data) {
      requests.withLock { $0.append("\(path) \(ticket)") }
      if status == nil { try await Task.sleep(for: .seconds(3_600)) }
      return (status ?? 202, Data(#"{"gone":\#(gone)}"#.utf8))
    }
  }

  private struct BrokenStore: QueueStateStore {
    func update<Result: Sendable>(_ change: @Sendable (inout QueueState) -> Result) async throws -> Result {
      throw FileStateStore.Failure.locked
    }
  }

  private static func payload(_ position: Int, device: String = "6F1C", more: String = "") throws
    -> [AnyHashable: Any]
  {
    let hash = DeviceHash.hash(app: "com.example.app", device: device)
    return try userInfo(#"{"q":{"p":\#(position),"e":7,"d":"\#(hash)","t":"t\#(position)"}\#(more)}"#)
  }

  private static func queue(_ store: any QueueStateStore, _ transport: Transport) -> PushQueue {
    // A busy machine may need seconds for an answer.
    PushQueue(
      app: "com.example.app", device: "6F1C", store: store, transport: transport,
      limit: transport.status == nil ? .milliseconds(200) : .seconds(60))
  }

  /// The bodies that are shown for a push "Lunch?".
  private static func bodies(_ position: Int, device: String = "6F1C", _ queue: PushQueue) async throws
    -> [String]
  {
    var bodies: [String] = []
    let pieces = PushExtension(queue: queue).pieces(
      userInfo: try payload(position, device: device), text: PushText(body: "Lunch?"), category: "")
    for await case .body(let text) in pieces { bodies.append(text) }
    return bodies
  }

  @Test("has its own text once the server sends the missed ones") func asks() async throws {
    let (store, transport) = (MemoryStateStore(), Transport(202))
    let queue = Self.queue(store, transport)
    #expect(try await Self.bodies(1, queue) == [])
    #expect(try await Self.bodies(3, queue) == ["Lunch?\nYou missed 1 earlier notification.", "Lunch?"])
    #expect(try await Self.bodies(2, queue) == [])
    #expect(transport.requests.withLock { $0 } == ["v1/receipts t1", "v1/missed t3", "v1/receipts t3"])
    #expect(await store.state.summarized == 0)
  }

  @Test("has a summary of those that the server has given up") func gone() async throws {
    let (store, transport) = (MemoryStateStore(), Transport(202, gone: 0b100))
    let queue = Self.queue(store, transport)
    #expect(try await Self.bodies(1, queue) == [])
    let asked = "Lunch?\nYou missed 3 earlier notifications."
    #expect(try await Self.bodies(5, queue) == [asked, "Lunch?\nYou missed 1 earlier notification."])
    // The server now gives up 4, and then 2.
    #expect(try await Self.bodies(6, queue) == ["Lunch?\nYou missed 1 earlier notification."])
    #expect(await queue.sendReceipt() == 0)
    #expect(await Self.queue(store, Transport(200, gone: 0b10110)).sendReceipt() == 1)
    #expect(await store.state.summarized == 3)
    let requests = ["v1/receipts t1", "v1/missed t5", "v1/receipts t6", "v1/receipts t6"]
    #expect(transport.requests.withLock { $0 } == requests)
  }

  @Test("has a summary of those that the server gives up when it is asked for others") func goneEarlier()
    async throws
  {
    let store = MemoryStateStore()
    let queue = Self.queue(store, Transport(202))
    #expect(try await Self.bodies(1, queue) == [])
    let two = "Lunch?\nYou missed 2 earlier notifications."
    #expect(try await Self.bodies(4, queue) == [two, "Lunch?"])
    // The server gives up 2 and 3, and sends 5.
    let other = Self.queue(store, Transport(202, gone: 0b11000))
    #expect(try await Self.bodies(6, other) == ["Lunch?\nYou missed 1 earlier notification.", two])
    #expect(await store.state.summarized == 2)
  }

  @Test("has a summary if the server refuses or is silent", arguments: [503, nil] as [Int?])
  func summary(status: Int?) async throws {
    let (store, transport) = (MemoryStateStore(), Transport(status))
    var queue = Self.queue(store, transport)
    queue.sendsReceipts = false
    #expect(try await Self.bodies(1, queue) == [])
    #expect(try await Self.bodies(4, queue) == ["Lunch?\nYou missed 2 earlier notifications."])
    #expect(await store.state.summarized == 2)
    queue.summary = { "\($1.body) + \($0)" }
    queue.repeatMaxCount = 1
    #expect(try await Self.bodies(7, queue) == ["Lunch? + 2"])
    #expect(await store.state.summarized == 4)
    #expect(transport.requests.withLock { $0 } == ["v1/missed t4"])
  }

  @Test("tells the server what has arrived, and nothing of other devices") func receipts() async throws {
    let (store, transport) = (MemoryStateStore(), Transport(204))
    let queue = Self.queue(store, transport)
    await queue.sendReceipt()
    #expect(try await Self.bodies(9, device: "other", queue) == [])
    #expect(transport.requests.withLock { $0 } == [])
    #expect(try await Self.bodies(1, queue) == [])
    await queue.sendReceipt()
    #expect(transport.requests.withLock { $0 } == ["v1/receipts t1", "v1/receipts t1"])
  }

  @Test("is shown as it is if the state cannot be changed") func broken() async throws {
    let transport = Transport(202)
    #expect(try await Self.bodies(5, Self.queue(BrokenStore(), transport)) == [])
    #expect(transport.requests.withLock { $0 } == [])
  }

  @Test("counts as a summary if the time is over before the server answers") func expired() async throws {
    let store = MemoryStateStore()
    #expect(try await Self.bodies(1, Self.queue(store, Transport(204))) == [])
    let queue = PushQueue(
      app: "com.example.app", device: "6F1C", store: store, transport: Transport(nil), limit: .seconds(600))
    let push = PushExtension(queue: queue)
    let pieces = push.pieces(userInfo: try Self.payload(4), text: PushText(), category: "")
    let shown = Latest()
    let listener = Task { for await piece in pieces { shown.value.withLock { $0 = piece } } }
    #expect(await eventually { shown.value.withLock { $0 } != nil })
    listener.cancel()
    // Long before the limit for an answer of the server.
    #expect(try await eventually { await store.state.summarized == 2 })
    #expect(shown.value.withLock { $0 } == .body("You missed 2 earlier notifications."))
  }

  private final class Latest: Sendable { let value = Mutex<PushPiece?>(nil) }

  @Test("may have its members in another place") func members() async throws {
    let actions = #","body":{"actions":[{"identifier":"a","title":"A"}]}"#
    var push = PushExtension()
    push.members = { $0["body"] as? [AnyHashable: Any] ?? [:] }
    let pieces = push.pieces(userInfo: try Self.payload(1, more: actions), text: PushText(), category: "M")
    var found: [String] = []
    for await case .category(let category) in pieces { found.append(category.identifier) }
    #expect(found == ["M"])
  }
}
