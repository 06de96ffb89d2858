import Glibc
import TestSupport
import Testing

/// What a core dump of a process would contain: its private writable memory, except for areas that
/// are excluded from core dumps.
struct MemoryImage {
  private let pieces: [[UInt8]]

  /// Whether this process may read others that are not dumpable: with CAP_SYS_PTRACE, ptrace(2).
  static var areAllowed: Bool {
    get throws {
      let status = String(decoding: try Files.read("/proc/self/status"), as: UTF8.self)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("CapEff:\t") })
      let capabilities = try #require(UInt64(line.dropFirst(8), radix: 16))
      return capabilities & 1 << 19 != 0
    }
  }

  init(of pid: pid_t) throws {
    let memory = unsafe open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    try #require(memory >= 0)
    defer { close(memory) }
    var pieces: [[UInt8]] = []
    for range in try Self.dumped(pid) {
      var piece = [UInt8](repeating: 0, count: range.count)
      // Memory that was unmapped meanwhile reads as empty.
      let count = unsafe pread(memory, &piece, piece.count, off_t(range.lowerBound))
      pieces.append(Array(piece.prefix(max(0, count))))
    }
    self.pieces = pieces
  }

  func contains(_ needle: [UInt8]) -> Bool { pieces.contains { Self.contains(needle, in: $0) } }

  /// Uses memchr(3) and memcmp(3), because it looks for a hundred needles in some ten megabytes.
  static func contains(_ needle: [UInt8], in piece: [UInt8]) -> Bool {
    unsafe piece.withUnsafeBytes { piece in
      guard var start = piece.baseAddress, let first = needle.first else { return false }
      let last = unsafe start + piece.count - needle.count
      while unsafe start <= last,
        let found = unsafe memchr(start, Int32(first), last - start + 1)
      {
        if unsafe memcmp(found, needle, needle.count) == 0 { return true }
        unsafe start = UnsafeRawPointer(found + 1)
      }
      return false
    }
  }

  /// The mappings of proc_pid_smaps(5) that are writable, private and not `dd` ("do not include
  /// area into core dump").
  private static func dumped(_ pid: pid_t) throws -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var current: Range<Int>?
    for line in String(decoding: try Files.read("/proc/\(pid)/smaps"), as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      if bounds.count == 2, words.count > 1 {
        current = words[1].hasPrefix("rw") && words[1].hasSuffix("p") ? bounds[0]..<bounds[1] : nil
      } else if line.hasPrefix("Rss:"), words.count > 1, words[1] == "0" {
        // Never written to: gigabytes of address space that the runtime reserves.
        current = nil
      } else if line.hasPrefix("VmFlags:"), !words.contains("dd"), let range = current {
        ranges.append(range)
      }
    }
    return ranges
  }
}
