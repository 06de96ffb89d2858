/// Whether `condition` comes true within five seconds: for what another thread counts a moment later.
package func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<500 where !condition() {
    try? await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}
