internal import Supporting
internal import Synchronization

/// Estimates how long an upload takes: a time for each upload plus a time for each byte. Fits a line
/// through recent uploads, in which each counts for three quarters of the next one.
final class UploadPace: Sendable {
  /// The time in which an estimate halves while nothing is uploaded. Without this, a store that was
  /// slow once would get no upload that could show that it is fast again.
  private static let halfLife = 10.0
  /// The estimate grows no further beyond this multiple of the size of recent uploads. Beyond it,
  /// the chance delays of small uploads would look like a slow network.
  private static let reach = 16.0

  /// Sums over the uploads, in which older ones count less. Sizes are in bytes, times in seconds.
  private struct State {
    var count = 0.0
    var size = 0.0
    var time = 0.0
    var sizeSquared = 0.0
    var sizeTime = 0.0
    var lastNote = MonotonicTime.now

    mutating func age(to now: MonotonicTime) {
      let seconds = max(0, (now - lastNote).seconds)
      for _ in 0..<Int(min(seconds / halfLife, 64)) {
        (time, sizeTime) = (time / 2, sizeTime / 2)
        lastNote += .seconds(halfLife)
      }
    }

    mutating func add(_ bytes: Double, _ seconds: Double) {
      count = count * 0.75 + 1
      size = size * 0.75 + bytes
      time = time * 0.75 + seconds
      sizeSquared = sizeSquared * 0.75 + bytes * bytes
      sizeTime = sizeTime * 0.75 + bytes * seconds
    }

    func seconds(for bytes: Double) -> Double {
      if count == 0 { return 0 }
      // Uploads of similar size do not show how long a byte takes. Assumes the least: an upload
      // that is begun in vain still ends at the deadline.
      let spread = count * sizeSquared - size * size
      let isTelling = spread > 0.1 * count * sizeSquared
      let byte = isTelling ? max(0, (count * sizeTime - size * time) / spread) : 0
      let each = max(0, (time - byte * size) / count)
      return each + (byte == 0 ? 0 : byte * min(bytes, reach * sizeSquared / size))
    }
  }

  private let state = Mutex(State())

  /// Learns from an upload that is done, or was given up after this time.
  func note(_ bytes: Int, took time: Duration, at now: MonotonicTime = .now) {
    state.withLock { state in
      state.age(to: now)
      state.lastNote = now
      state.add(Double(bytes), time.seconds)
    }
  }

  /// Learns from an upload that was given up, unless it had just begun.
  func noteAbandoned(_ bytes: Int, after time: Duration, at now: MonotonicTime = .now) {
    if time > self.time(for: bytes, at: now) { note(bytes, took: time, at: now) }
  }

  /// How long an upload of `bytes` would take.
  func time(for bytes: Int, at now: MonotonicTime = .now) -> Duration {
    state.withLock { state in
      state.age(to: now)
      return .seconds(state.seconds(for: Double(bytes)))
    }
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
