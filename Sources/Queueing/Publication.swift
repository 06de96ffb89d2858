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

  package var isConfirmed: Bool { wasConfirmed.load(ordering: .relaxed) }

  /// Whether this publication, or several at once with it, made the last settlement fail. Resets that.
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

  /// Publishes those not confirmed yet, in order. Returns `sent`, or the first answer that is different.
  package func publish() async throws(QueueError) -> SendResult {
    for publication in self where !publication.isConfirmed {
      let result = try await [publication].publish(at: publication.target)
      guard result == .sent else { return result }
    }
    return .sent
  }

  /// Publishes all of them at once at their common target.
  func publish(at target: any Sink) async throws(QueueError) -> SendResult {
    let results = try await attempt { () async throws(QueueError) in try await target.send(map(\.message)) }
    for (index, publication) in enumerated() {
      publication.note(index < results.count ? results[index] : nil)
    }
    if let failed = results.first(where: { $0 != .sent }) { return failed }
    if results.count >= count { return .sent }
    // Otherwise a message without an answer would be acknowledged, and lost.
    return .unavailable("there are answers for \(results.count) of \(count) messages", after: nil)
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

  /// Splits those that are not confirmed yet. Trailing siblings can be in one transaction with the
  /// settlement; the others must be published before.
  package func split(_ isSibling: (Publication) -> Bool) -> (before: [Publication], together: [Publication]) {
    let missing = filter { !$0.isConfirmed }
    let start = missing.lastIndex { !isSibling($0) }.map { $0 + 1 } ?? 0
    return (Array(missing[..<start]), Array(missing[start...]))
  }
}
