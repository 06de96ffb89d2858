internal import Queueing
internal import ServiceLifecycle

extension InFlightDeliveries {
  /// Runs `work`, and has it stop at a graceful shutdown. Ends `source`.
  /// - Parameter stop: called at the shutdown, at once, even while `work` waits for capacity.
  /// - Throws: why the work was closed.
  func run(
    _ work: () async -> Void, from source: any Source, _ status: WorkStatus,
    onStop stop: @escaping @Sendable () async -> Void = {}
  ) async throws(QueueError) {
    let (prefetching, drainable) = (source as? any PrefetchingSource, source as? any DrainableSource)
    await withGracefulShutdownHandler {
      await work()
    } onGracefulShutdown: { [self] in
      self.stop()
      status.stop()
      Task { await prefetching?.stopReceiving() }
      Task { await stop() }
    }
    let lost = closing == nil ? 0 : await drainable?.dropRest() ?? 0
    await drainable?.finish()
    if let error = closing { throw error.losing(lost) }
  }
}
