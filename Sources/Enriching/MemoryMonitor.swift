internal import CLinux
internal import Synchronization

/// Compares the process's private memory with what it may have.
final class MemoryMonitor: Sendable {
  /// Bytes that all transfers together receive between two samples: one sample takes as long as writing them.
  private static let sampleInterval = 262_144

  /// Private memory that the process may have, in bytes.
  let total: Int
  private let tidyings = Atomic(0)
  /// Bytes received since the last sample. Starts full, so that the first bytes cause one.
  private let unsampled = Atomic(sampleInterval)

  /// - Parameter total: private memory that the process may have, in bytes.
  init(total: Int) { self.total = total }

  /// Whether the process has outgrown its memory. Free memory that the heap only keeps does not count.
  var isExceeded: Bool {
    guard PrivateMemory.sample() > total else { return false }
    malloc_trim(0)
    return PrivateMemory.sample() > total
  }

  /// Called for all bytes that are received: whether the process has outgrown its memory, as of the last
  /// sample.
  func isExceeded(after count: Int) -> Bool {
    guard unsampled.add(count, ordering: .relaxed).newValue >= Self.sampleInterval else { return false }
    let isExceeded = isExceeded
    // Sampled again with the next bytes, until there is memory again.
    unsampled.store(isExceeded ? Self.sampleInterval : 0, ordering: .relaxed)
    return isExceeded
  }

  /// Called after each payload: when memory runs short, returns the heap's free pages to the kernel.
  ///
  /// Only after every eighth payload: searching the heap takes as long as a small file, and a sample as long
  /// as reading a payload.
  func tidyUp() {
    let count = tidyings.wrappingAdd(1, ordering: .relaxed).oldValue
    if count % 8 == 0, PrivateMemory.sample() > total / 4 * 3 { malloc_trim(0) }
  }
}
