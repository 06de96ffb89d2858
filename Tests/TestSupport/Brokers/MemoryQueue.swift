package import Queueing
import Synchronization

extension QueueKind {
  /// `memory:STORE/NAME`: a queue of this process.
  package static let memory = QueueKind(["memory:"], example: { _ in "memory:STORE/NAME" }) { (text, _) in
    MemoryURL(text)
  }
}

/// Everything that a new kind of queue needs, in one file: its row, its URL, and its queue.
struct MemoryURL: QueueURL {
  let store: String
  let name: String

  init(_ text: String) {
    let parts = text.dropFirst("memory:".count).split(separator: "/", maxSplits: 1)
    (store, name) = (parts.first.map { String($0) } ?? "", parts.dropFirst().first.map { String($0) } ?? "")
  }

  var label: QueueLabel { QueueLabel(system: "memory", name: name) }

  var needs: QueueNeeds { QueueNeeds() }

  func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? MemoryURL else { return false }
    return (store, name) == (other.store, other.name)
  }

  func sibling(_ name: String, of text: String) -> String? { "memory:\(store)/\(name)" }

  func example(_ name: String) -> String { "memory:STORE/\(name)" }

  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) -> any Queue {
    MemoryQueue(store, name)
  }
}

/// A queue in the memory of this process. Queues of one store settle in one transaction. A lease ends with the
/// `MemoryQueue` that granted it, or after `leaseTime`.
package final class MemoryQueue: Source, Sink {
  private struct Entry {
    let queue: String
    let message: Message
    var attempts = 0
    var receipt: String?
    var holder = 0
    var leaseEnd: ContinuousClock.Instant?

    var isOnLease: Bool { receipt != nil && leaseEnd.map { .now < $0 } ?? true }
  }

  private struct State {
    var entries: [Entry] = []
    var isAway = false
    var lastHolder = 0

    func index(of delivery: Delivery) -> Int? { entries.firstIndex { $0.receipt == delivery.receipt } }
  }

  private final class Store: Sendable {
    static let all = Mutex<[String: Store]>([:])
    let state = Mutex(State())

    static func named(_ name: String) -> Store {
      all.withLock { all in
        if let store = all[name] { return store }
        let store = Store()
        all[name] = store
        return store
      }
    }
  }

  package let leaseTime: Duration?
  /// Counts the calls of `extend`.
  package let extensions = Counter()
  private let polling = Polling()
  private let store: Store
  private let name: String
  private let holder: Int
  private let answer: @Sendable (Message) -> SendResult

  /// - Parameter answer: returns the answer to each message that is put into the queue.
  package init(
    _ store: String, _ name: String, leaseTime: Duration? = nil,
    answer: @escaping @Sendable (Message) -> SendResult = { _ in .sent }
  ) {
    self.store = .named(store)
    self.name = name
    self.leaseTime = leaseTime
    self.answer = answer
    holder = self.store.state.withLock { state in
      state.lastHolder += 1
      return state.lastHolder
    }
  }

  deinit {
    store.state.withLock { state in
      for index in state.entries.indices where state.entries[index].holder == holder {
        state.entries[index].receipt = nil
      }
    }
  }

  /// Makes all queues of a store unavailable, or available again.
  package static func setAway(_ store: String, _ isAway: Bool) {
    Store.named(store).state.withLock { $0.isAway = isAway }
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await polling.poll(for: duration) { () throws(QueueError) in
      try use { state in
        var deliveries: [Delivery] = []
        var room = 262_144
        for index in state.entries.indices where deliveries.count < limit && room > 0 {
          guard state.entries[index].queue == name, !state.entries[index].isOnLease else { continue }
          state.entries[index].attempts += 1
          state.entries[index].holder = holder
          state.entries[index].leaseEnd = leaseTime.map { .now + $0 }
          let receipt = "\(UInt64.random(in: 0...UInt64.max))"
          state.entries[index].receipt = receipt
          let entry = state.entries[index]
          room -= entry.message.size
          deliveries.append(Delivery(message: entry.message, attempt: entry.attempts, receipt: receipt))
        }
        return deliveries
      }
    }
  }

  package func extend(_ deliveries: [Delivery]) async throws(QueueError) {
    extensions.add()
    try use { state in
      for index in deliveries.compactMap({ state.index(of: $0) }) {
        state.entries[index].leaseEnd = leaseTime.map { .now + $0 }
      }
    }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    try use { state in
      for index in deliveries.compactMap({ state.index(of: $0) }) {
        state.entries[index].receipt = nil
        state.entries[index].attempts -= 1
      }
    }
  }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    let answers = messages.map(answer)
    try use { state in
      for (message, answer) in zip(messages, answers) where answer == .sent {
        state.entries.append(Entry(queue: name, message: message))
      }
    }
    return answers
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let lost = QueueError.leaseLost(id: delivery.message.id)
    let (before, together) = publications.split { sibling($0.target) != nil }
    if !before.isEmpty {
      guard try use({ $0.index(of: delivery) }) != nil else { throw lost }
      let result = try await before.publish()
      guard result == .sent else { return result }
    }
    let answers = together.map { sibling($0.target)?.answer($0.message) ?? .sent }
    if let refusal = answers.first(where: { $0 != .sent }) {
      for (publication, answer) in zip(together, answers) where answer != .sent { publication.note(answer) }
      return refusal
    }
    let isOurs = try await together.attempt { () throws(QueueError) in
      try use { state in
        guard let index = state.index(of: delivery) else { return false }
        state.entries.remove(at: index)
        state.entries += together.map { Entry(queue: sibling($0.target)?.name ?? "", message: $0.message) }
        return true
      }
    }
    guard isOurs else { throw lost }
    return .sent
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    try use { state in Array(state.entries.lazy.filter { $0.queue == self.name }.map(\.message).prefix(limit))
    }
  }

  package var backlog: Backlog? {
    get async throws(QueueError) {
      try use { state in
        let own = state.entries.filter { $0.queue == name }
        let onLease = own.count(where: \.isOnLease)
        return Backlog(waiting: own.count - onLease, onLease: onLease)
      }
    }
  }

  private func sibling(_ sink: any Sink) -> MemoryQueue? {
    (sink as? MemoryQueue).flatMap { $0.store === store ? $0 : nil }
  }

  private func use<Value>(_ body: (inout State) -> Value) throws(QueueError) -> Value {
    let value = store.state.withLock { state in state.isAway ? nil : Optional(body(&state)) }
    guard let value else { throw .unavailable("the memory is away") }
    return value
  }
}

/// Queues of one test in the memory of its process.
struct MemoryBroker: MortalBroker {
  let name = "memory-\(UInt64.random(in: 0...UInt64.max))"

  func url(_ queue: String) -> String { "memory:\(name)/\(queue)" }

  func kill() { MemoryQueue.setAway(name, true) }

  func restart() { MemoryQueue.setAway(name, false) }

  /// Does nothing: there is no disk, and no other process can reach this queue.
  func fillDisk(of consumer: Int32) {}

  func freeDisk(of consumer: Int32) {}
}
