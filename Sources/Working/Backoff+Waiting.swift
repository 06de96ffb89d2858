internal import Queueing
internal import ServiceLifecycle

extension Backoff {
  /// Once the process has been told to stop, which also ends a longer pause.
  private static let pauseWhileStopping = Duration.milliseconds(200)

  mutating func wait() async {
    guard !Task.isShuttingDownGracefully else {
      try? await Task.sleep(for: Self.pauseWhileStopping)
      return
    }
    let pause = next()
    _ = try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
  }
}
