/// Pauses between tries of what is away: 0.1 s at first, doubled each time, 5 s at most, half of it at random.
struct Backoff {
  private var milliseconds = 100

  mutating func wait() async {
    let pause = Int.random(in: milliseconds / 2...milliseconds)
    milliseconds = min(milliseconds * 2, 5_000)
    try? await Task.sleep(for: .milliseconds(pause))
  }
}
