public import Dispatch

extension DispatchQueue {
  /// Runs `body`, which may block, on a thread of this queue instead of a thread that runs tasks.
  @inlinable
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
      async { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
    }
    return try result.get()
  }
}
