internal import CLinux
internal import Supporting
internal import Synchronization

/// Compares the process's private memory with its limit.
final class MemoryMonitor: Sendable {
  /// How many bytes all transfers receive between samples. Writing them takes as long as a sample.
  private static let sampleInterval = 262_144
  /// The time between two searches of the heap for free pages.
  private static let trimInterval = Duration.milliseconds(100)

  /// The private memory that the process may have, in bytes.
  let total: Int
  /// The part of `total` that transfers are planned with.
  private let planned: Int
  private let source: @Sendable () -> Int
  private let tidyings = Atomic(0)
  private let questions = Atomic(0)
  private let lastTrim = Mutex<MonotonicTime?>(nil)
  private let lastSample = Atomic(0)
  /// Bytes received since the last sample. Starts full, so that the first bytes cause a sample.
  private let unsampled = Atomic(sampleInterval)

  /// - Parameter planned: nil means all of `total`.
  init(
    total: Int, planned: Int? = nil, source: @escaping @Sendable () -> Int = { PrivateMemory.sample() }
  ) {
    self.total = total
    self.planned = planned ?? total
    self.source = source
  }

  /// Whether the process exceeds its memory. Free pages that the heap keeps do not count.
  var isExceeded: Bool {
    guard sample() > total else { return false }
    malloc_trim(0)
    return sample() > total
  }

  /// Whether there was memory at the last sample for things that only save time.
  var isPlenty: Bool { lastSample.load(ordering: .relaxed) <= plenty }

  /// Whether there is memory for one more transfer: plenty now, and enough for the handshakes under
  /// way. Without handshakes, only every eighth call takes a sample until memory is short.
  /// - Parameter isOverdue: whether the transfer has waited for long enough. It may then begin although memory is
  ///   not plenty, if the handshakes fit.
  func hasRoom(besides handshakes: Int, isOverdue: Bool = false) -> Bool {
    let count = questions.wrappingAdd(1, ordering: .relaxed).oldValue
    if handshakes == 0, isPlenty, count % 8 != 0 { return true }
    if isEnough(sample(), for: handshakes, isOverdue) { return true }
    guard isTrimDue() else { return false }
    malloc_trim(0)
    return isEnough(sample(), for: handshakes, isOverdue)
  }

  private func isEnough(_ bytes: Int, for handshakes: Int, _ isOverdue: Bool) -> Bool {
    (isOverdue || bytes <= plenty)
      && handshakes < (MemoryPlan.available(of: planned) - bytes) / MemoryPlan.handshake
  }

  private func isTrimDue() -> Bool {
    let now = MonotonicTime.now
    return lastTrim.withLock { last in
      if let last, now - last < Self.trimInterval { return false }
      last = now
      return true
    }
  }

  /// Whether the process exceeds its memory. Called for all received bytes. Takes a sample after
  /// every `sampleInterval` of them.
  func isExceeded(after count: Int) -> Bool {
    guard unsampled.add(count, ordering: .relaxed).newValue >= Self.sampleInterval else { return false }
    let isExceeded = isExceeded
    // If memory is exceeded, each of the next pieces takes a sample, until it is not.
    unsampled.store(isExceeded ? Self.sampleInterval : 0, ordering: .relaxed)
    return isExceeded
  }

  /// Returns the heap's free pages to the kernel if memory is short. Called after each payload.
  /// Only every eighth call takes a sample, because that takes as long as reading a payload.
  func tidyUp() {
    let count = tidyings.wrappingAdd(1, ordering: .relaxed).oldValue
    if count % 8 == 0, sample() > plenty { malloc_trim(0) }
  }

  /// With three quarters of 12 MB, 64 connections over TLS did not fit. They were closed and opened
  /// again and again, for three times the processor time of an image of 20 KB.
  private var plenty: Int { planned / 8 * 7 }

  private func sample() -> Int {
    let bytes = source()
    lastSample.store(bytes, ordering: .relaxed)
    return bytes
  }
}
