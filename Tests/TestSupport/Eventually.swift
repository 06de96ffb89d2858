/// Whether `condition` comes true within a minute: for what another thread or process does a moment later.
package func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<6_000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// The same for what is asked of somebody.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<6_000 {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}
