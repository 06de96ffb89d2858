internal import CLinux
internal import Supporting
internal import Synchronization

/// Compares the process's private memory with what it may have.
final class MemoryMonitor: Sendable {
  /// Bytes that all transfers together receive between two samples: one sample takes as long as writing them.
  private static let sampleInterval = 262_144
  /// Between two searches of the heap for free pages.
  private static let trimInterval = Duration.milliseconds(100)

  /// Private memory that the process may have, in bytes.
  let total: Int
  /// The part of it that transfers are planned with.
  private let planned: Int
  private let source: @Sendable () -> Int
  private let tidyings = Atomic(0)
  private let questions = Atomic(0)
  private let lastTrim = Mutex<MonotonicTime?>(nil)
  private let lastSample = Atomic(0)
  /// Bytes received since the last sample. Starts full, so that the first bytes cause one.
  private let unsampled = Atomic(sampleInterval)

  /// - Parameter planned: nil for all of `total`.
  init(
    total: Int, planned: Int? = nil, source: @escaping @Sendable () -> Int = { PrivateMemory.sample() }
  ) {
    self.total = total
    self.planned = planned ?? total
    self.source = source
  }

  /// Whether the process has outgrown its memory. Free memory that the heap only keeps does not count.
  var isExceeded: Bool {
    guard sample() > total else { return false }
    malloc_trim(0)
    return sample() > total
  }

  /// Whether there is memory for things that only save time, as of the last sample.
  var isPlenty: Bool { lastSample.load(ordering: .relaxed) <= plenty }

  /// Whether there is room for one more transfer: while memory is plenty, and enough for what those under way
  /// will still take. Without handshakes only every eighth question takes a sample, until memory is short.
  func hasRoom(besides handshakes: Int) -> Bool {
    let count = questions.wrappingAdd(1, ordering: .relaxed).oldValue
    if handshakes == 0, isPlenty, count % 8 != 0 { return true }
    if isEnough(sample(), for: handshakes) { return true }
    guard isTrimDue() else { return false }
    malloc_trim(0)
    return isEnough(sample(), for: handshakes)
  }

  private func isEnough(_ bytes: Int, for handshakes: Int) -> Bool {
    bytes <= plenty && handshakes < (MemoryPlan.available(of: planned) - bytes) / MemoryPlan.handshake
  }

  private func isTrimDue() -> Bool {
    let now = MonotonicTime.now
    return lastTrim.withLock { last in
      if let last, now - last < Self.trimInterval { return false }
      last = now
      return true
    }
  }

  /// Whether the process has outgrown its memory, as of the last sample. Called for all received bytes.
  func isExceeded(after count: Int) -> Bool {
    guard unsampled.add(count, ordering: .relaxed).newValue >= Self.sampleInterval else { return false }
    let isExceeded = isExceeded
    // Sampled again with the next bytes, until there is memory again.
    unsampled.store(isExceeded ? Self.sampleInterval : 0, ordering: .relaxed)
    return isExceeded
  }

  /// Returns the heap's free pages to the kernel when memory runs short. Called after each payload. Samples
  /// after every eighth, because a sample takes as long as reading a payload.
  func tidyUp() {
    let count = tidyings.wrappingAdd(1, ordering: .relaxed).oldValue
    if count % 8 == 0, sample() > plenty { malloc_trim(0) }
  }

  private var plenty: Int { planned / 4 * 3 }

  private func sample() -> Int {
    let bytes = source()
    lastSample.store(bytes, ordering: .relaxed)
    return bytes
  }
}
