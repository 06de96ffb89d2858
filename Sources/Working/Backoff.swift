internal import ServiceLifecycle

/// Pauses between tries of what is away: 0.1 s at first, doubled each time, 5 s at most, half of it at random.
struct Backoff {
  /// Once the process has been told to stop, which also ends a longer one.
  private static let pauseWhileStopping = Duration.milliseconds(200)

  private var milliseconds = 100

  mutating func wait() async {
    guard !Task.isShuttingDownGracefully else {
      try? await Task.sleep(for: Self.pauseWhileStopping)
      return
    }
    let pause = Duration.milliseconds(Int.random(in: milliseconds / 2...milliseconds))
    milliseconds = min(milliseconds * 2, 5_000)
    _ = try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
  }
}
