/// Waits up to a minute for `condition`: for effects of other threads or processes.
package func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<6_000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// The same for an asynchronous condition.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<6_000 {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}
