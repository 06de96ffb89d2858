internal import Synchronization

/// A message to be published. A retry skips those that the target has confirmed.
package final class Publication: Sendable {
  package let message: Message
  package let target: any Queue
  /// Whether its target has confirmed it.
  let isConfirmed = Atomic(false)
  /// Whether its target did not take it at the last attempt.
  let hasFailed = Atomic(false)

  package init(_ message: Message, into target: any Queue) {
    self.message = message
    self.target = target
  }

  /// Whether the settlement that has just failed did so at this publication, or at several at once of which
  /// this is one. Resets that.
  package func takeFailure() -> Bool { hasFailed.exchange(false, ordering: .relaxed) }
}

extension [Publication] {
  /// Whether one of them is out: whoever handles their message again publishes it once more.
  package var isBegun: Bool { contains { $0.isConfirmed.load(ordering: .relaxed) } }

  /// Notes that these are out, although the settlement that they belong to has failed.
  package func confirm() {
    for publication in self { publication.isConfirmed.store(true, ordering: .relaxed) }
  }

  /// Publishes those that are not confirmed yet, one after the other. A retry publishes the missing ones, and
  /// again the one whose confirmation was lost.
  package func publish() async throws(QueueError) {
    for publication in missing { try await [publication].publish(at: publication.target) }
  }

  /// Publishes all of them at once.
  /// - Parameter target: that of each.
  func publish(at target: any Queue) async throws(QueueError) {
    try await attempt { () async throws(QueueError) in try await target.publish(map(\.message)) }
    confirm()
  }

  /// Runs `body`, which publishes these at once: if it fails, all of them have failed.
  package func attempt<Value>(
    _ body: () async throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    do throws(QueueError) {
      return try await body()
    } catch {
      for publication in self { publication.hasFailed.store(true, ordering: .relaxed) }
      throw error
    }
  }

  /// Splits those that are not confirmed yet: those that must be published before a settlement, and the
  /// trailing ones, which can be in one transaction with it.
  /// - Parameter isSibling: whether a publication may be part of that transaction.
  package func split(
    _ isSibling: (Publication) -> Bool
  ) -> (before: [Publication], together: [Publication]) {
    let missing = missing
    let start = missing.lastIndex { !isSibling($0) }.map { $0 + 1 } ?? 0
    return (Array(missing[..<start]), Array(missing[start...]))
  }

  private var missing: [Publication] { filter { !$0.isConfirmed.load(ordering: .relaxed) } }
}
