internal import Synchronization

extension [Publication] {
  /// Publishes one after the other, each where it belongs, those that are not durable yet. A further try publishes what is missing, and
  /// once more the one whose confirmation was lost.
  package func publish() async throws(QueueError) {
    for publication in missing {
      do throws(QueueError) {
        try await publication.target.publish([publication.message])
      } catch {
        publication.hasFailed.store(true, ordering: .relaxed)
        throw error
      }
      publication.isDurable.store(true, ordering: .relaxed)
    }
  }

  /// Of those that are not durable yet, those that have to be before a settlement, and those behind them, which are one transaction with it.
  /// - Parameter isSibling: whether it may be part of the transaction.
  package func split(
    _ isSibling: (Publication) -> Bool
  ) -> (before: [Publication], together: [Publication]) {
    let missing = missing
    let start = missing.lastIndex { !isSibling($0) }.map { $0 + 1 } ?? 0
    return (Array(missing[..<start]), Array(missing[start...]))
  }

  private var missing: [Publication] { filter { !$0.isDurable.load(ordering: .relaxed) } }
}
