internal import Glibc
internal import Supporting
internal import Synchronization

/// The process's private memory: anonymous pages in use, which iOS calls footprint.
package enum PrivateMemory {
  private static let highest = Atomic(0)
  #if SANITIZER
    /// A sanitizer's own tens of megabytes must not count.
    private static let source = "/dev/null"
  #else
    private static let source = "/proc/self/statm"
  #endif
  /// Stays open, because opening it takes three times as long as reading it.
  private static let file = unsafe open(source, O_RDONLY | O_CLOEXEC)

  /// The largest sample so far, in bytes. The kernel does not record this peak.
  package static var peak: Int { highest.load(ordering: .relaxed) }

  /// The private memory now, in bytes, or 0 if `/proc` cannot be read. Takes a few microseconds.
  @discardableResult
  package static func sample() -> Int {
    // `file` is invalid if the process had too many files open. There may be room by now.
    let text = readShortFile(file, maximum: 128) ?? readShortFile(source, maximum: 128) ?? []
    // Three of the numbers, read byte by byte. Splitting the text takes ten times as long.
    var (numbers, count) = (InlineArray<3, Int>(repeating: 0), 0)
    for byte in text where count < 3 {
      if byte.isASCIIDigit {
        numbers[count] = numbers[count] &* 10 &+ Int(byte - UInt8(ascii: "0"))
      } else {
        count += 1
      }
    }
    guard count == 3 else { return 0 }
    // Resident pages minus shared pages are the anonymous ones (proc(5), statm).
    let bytes = max(0, numbers[1] - numbers[2]) * sysconf(Int32(_SC_PAGESIZE))
    _ = highest.max(bytes, ordering: .relaxed)
    return bytes
  }
}
