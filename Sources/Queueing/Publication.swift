internal import Synchronization

/// A message to publish. A retry skips publications that the target has confirmed.
package final class Publication: Sendable {
  package let message: Message
  package let target: any Sink
  private let wasConfirmed = Atomic(false)
  private let hasFailed = Atomic(false)

  package init(_ message: Message, into target: any Sink) {
    self.message = message
    self.target = target
  }

  package var isConfirmed: Bool { wasConfirmed.load(ordering: .relaxed) }

  /// Whether this publication, or one sent with it, made the last settlement fail. Resets the flag.
  package func takeFailure() -> Bool { hasFailed.exchange(false, ordering: .relaxed) }

  /// - Parameter result: the answer of the target, or nil if it gave none.
  package func note(_ result: SendResult?) {
    if result == .sent {
      wasConfirmed.store(true, ordering: .relaxed)
    } else {
      hasFailed.store(true, ordering: .relaxed)
    }
  }
}

extension [Publication] {
  /// Whether any of them was published. Handling their message again would publish it twice.
  package var isBegun: Bool { contains(where: \.isConfirmed) }

  /// Publishes the unconfirmed ones in order. Returns `sent`, or the first other answer.
  package func publish() async throws(QueueError) -> SendResult {
    for publication in self where !publication.isConfirmed {
      let result = try await [publication].publish(at: publication.target)
      guard result == .sent else { return result }
    }
    return .sent
  }

  /// Publishes all of them at once to their common target.
  func publish(at target: any Sink) async throws(QueueError) -> SendResult {
    let results = try await attempt { () async throws(QueueError) in try await target.send(map(\.message)) }
    for (index, publication) in enumerated() {
      publication.note(index < results.count ? results[index] : nil)
    }
    if let failed = results.first(where: { $0 != .sent }) { return failed }
    if results.count >= count { return .sent }
    // Otherwise a message without an answer would be acknowledged and lost.
    return .unavailable("there are answers for \(results.count) of \(count) messages", after: nil)
  }

  /// Runs `body`, which publishes all of them at once. If it throws, all of them count as failed.
  package func attempt<Value>(
    _ body: () async throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    do throws(QueueError) {
      return try await body()
    } catch {
      for publication in self { publication.note(nil) }
      throw error
    }
  }

  /// Splits the publications that are not confirmed yet. Siblings at the end can share a
  /// transaction with the settlement. The others must be published before it.
  package func split(_ isSibling: (Publication) -> Bool) -> (before: [Publication], together: [Publication]) {
    let missing = filter { !$0.isConfirmed }
    let start = missing.lastIndex { !isSibling($0) }.map { $0 + 1 } ?? 0
    return (Array(missing[..<start]), Array(missing[start...]))
  }
}
