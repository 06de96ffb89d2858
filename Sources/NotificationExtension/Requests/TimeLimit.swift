/// Returns the result of `operation`, or nil if it takes longer than `limit` or the task is cancelled. Does not wait for
/// an operation that ignores its cancellation.
func withTimeLimit<Result: Sendable>(
  _ limit: Duration, _ operation: @escaping @Sendable () async -> Result?
) async -> Result? {
  let (results, first) = AsyncStream.makeStream(of: Result?.self, bufferingPolicy: .bufferingOldest(1))
  let work = Task { _ = first.yield(await operation()) }
  let clock = Task {
    try? await Task.sleep(for: limit)
    first.yield(nil)
  }
  defer {
    work.cancel()
    clock.cancel()
  }
  for await result in results { return result }
  return nil
}
