package import Dispatch

extension DispatchQueue {
  /// Runs what blocks on a thread of this queue, apart from those that run tasks.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    let result = await withCheckedContinuation { continuation in
      async {
        let result: Result<Value, QueueError>
        do throws(QueueError) {
          result = .success(try body())
        } catch {
          result = .failure(error)
        }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
