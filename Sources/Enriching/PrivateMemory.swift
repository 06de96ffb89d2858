internal import Glibc
internal import Supporting
internal import Synchronization

/// The process's private memory: anonymous pages that are in use, RssAnon in `/proc/self/status`, what iOS calls footprint.
package enum PrivateMemory {
  private static let highest = Atomic(0)
  #if SANITIZER
    /// A sanitizer takes tens of megabytes, which are not the program's.
    private static let source = "/dev/null"
  #else
    private static let source = "/proc/self/statm"
  #endif

  /// The most that any call of `sample` has seen, in bytes. The kernel keeps no peak of it.
  package static var peak: Int { highest.load(ordering: .relaxed) }

  /// What is in use now, in bytes; 0 where `/proc` cannot be read. Takes some microseconds.
  @discardableResult
  package static func sample() -> Int {
    // Resident less shared pages (proc(5), statm): what is left is anonymous.
    guard let text = readShortFile(source, maximum: 128) else { return 0 }
    let fields = text.split(separator: UInt8(ascii: " ")).prefix(3)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    guard fields.count == 3 else { return 0 }
    let bytes = max(0, fields[1] - fields[2]) * sysconf(Int32(_SC_PAGESIZE))
    _ = highest.max(bytes, ordering: .relaxed)
    return bytes
  }
}
