internal import Synchronization

/// A message to be published. A retry skips those that the target has confirmed.
package final class Publication: Sendable {
  package let message: Message
  package let target: any Sink
  private let wasConfirmed = Atomic(false)
  private let hasFailed = Atomic(false)

  package init(_ message: Message, into target: any Sink) {
    self.message = message
    self.target = target
  }

  /// Whether its target has confirmed it.
  package var isConfirmed: Bool { wasConfirmed.load(ordering: .relaxed) }

  /// Whether the settlement that has just failed did so at this publication, or at several at once of which
  /// this is one. Resets that.
  package func takeFailure() -> Bool { hasFailed.exchange(false, ordering: .relaxed) }

  /// - Parameter result: the answer of its target; nil if there is none.
  package func note(_ result: SendResult?) {
    if result == .sent {
      wasConfirmed.store(true, ordering: .relaxed)
    } else {
      hasFailed.store(true, ordering: .relaxed)
    }
  }
}

extension [Publication] {
  /// Whether one of them is out: whoever handles their message again publishes it once more.
  package var isBegun: Bool { contains(where: \.isConfirmed) }

  /// Publishes those that are not confirmed yet, one after the other. A retry publishes the missing ones, and
  /// again the one whose confirmation was lost.
  /// - Returns: `sent`, or the answer to the first that its target did not take.
  package func publish() async throws(QueueError) -> SendResult {
    for publication in self where !publication.isConfirmed {
      let result = try await [publication].publish(at: publication.target)
      guard result == .sent else { return result }
    }
    return .sent
  }

  /// Publishes all of them at once.
  /// - Parameter target: that of each.
  func publish(at target: any Sink) async throws(QueueError) -> SendResult {
    let results = try await attempt { () async throws(QueueError) in try await target.send(map(\.message)) }
    for (index, publication) in enumerated() {
      publication.note(index < results.count ? results[index] : nil)
    }
    if let failed = results.first(where: { $0 != .sent }) { return failed }
    // Otherwise a message that nobody has answered for would be acknowledged, and lost.
    return results.count < count
      ? .unavailable("there are answers for \(results.count) of \(count) messages", after: nil) : .sent
  }

  /// Runs `body`, which publishes these at once: if it throws, all of them have failed.
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

  /// Splits those that are not confirmed yet: those that must be published before a settlement, and the
  /// trailing ones, which can be in one transaction with it.
  /// - Parameter isSibling: whether a publication may be part of that transaction.
  package func split(
    _ isSibling: (Publication) -> Bool
  ) -> (before: [Publication], together: [Publication]) {
    let missing = filter { !$0.isConfirmed }
    let start = missing.lastIndex { !isSibling($0) }.map { $0 + 1 } ?? 0
    return (Array(missing[..<start]), Array(missing[start...]))
  }
}
