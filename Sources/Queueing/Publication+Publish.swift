extension [Publication] {
  /// Publishes one after the other, each where it belongs. What a failure leaves out is published by the next try, and what
  /// comes before it a second time.
  package func publish() async throws(QueueError) {
    for publication in self { try await publication.target.publish([publication.message]) }
  }
}
