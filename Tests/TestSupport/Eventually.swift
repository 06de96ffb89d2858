/// Whether `condition` comes true within a minute: for what another thread or process does a moment later.
package func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<6_000 where !condition() {
    try? await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}
