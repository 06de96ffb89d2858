@testable import Caching
import Glibc
import TestSupport
import Testing

/// Files of users under the name of the cache.
@Suite("Recognizing a cache file")
struct RecognizingTests {
  static let row = CacheTable.rowBytes

  /// Contents that are no cache.
  static let others: [(name: String, bytes: [UInt8])] = [
    ("a text", Array("mine\n".utf8)),
    ("random bytes", (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 167) }),
    ("random bytes of the size of a cache", (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 1) }),
    ("zeros that are no whole slot", [UInt8](repeating: 0, count: row + 1)),
    ("zeros before a text", zeros(65_536, besides: Array("SWAPSPACE2".utf8), at: 4_086)),
    ("zeros before a last byte", zeros(65_536, besides: [1], at: 65_535)),
    ("the mark in another place", zeros(row, besides: Array("push\0\0\0\u{2}".utf8), at: 8)),
    ("a text that starts like the mark", zeros(row, besides: Array("push-enricher".utf8))),
  ]

  /// Bytes that are zeros, with others among them.
  private static func zeros(_ count: Int, besides others: [UInt8] = [], at start: Int = 0) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.replaceSubrange(start..<start + others.count, with: others)
    return bytes
  }

  @Test("a file that is neither empty nor a cache is not used, and stays as it is", arguments: others)
  func other(name: String, bytes: [UInt8]) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(bytes, to: "cache")
      #expect(throws: CacheError.notACache(path: path)) { try CacheTable.check(path) }
      #expect(throws: CacheError.notACache(path: path)) { _ = try CacheTable(path: path, bytes: 65_536) }
      #expect(try Files.read(path) == bytes)
    }
  }

  @Test("a cache of another version is taken over", arguments: [1, 2, 3] as [UInt8])
  func version(number: UInt8) async throws {
    try await withTemporaryDirectory { folder in
      var bytes = try CacheEntry.of("https://a.example/").bytes(used: FreshnessTests.now)
      bytes[7] = number
      // Even if the entry is damaged.
      bytes[300] ^= 1
      let path = try folder.write(
        Self.zeros(2 * Self.row, besides: bytes, at: Self.row + CacheEntry.length), to: "cache")
      try CacheTable.check(path)
      try Self.expectUsable(path)
    }
  }

  /// It is all zeros, or empty if the process that was making it has died early.
  @Test("a cache without entries is taken over", arguments: [0, row, 4 * row, 100 * row])
  func unused(bytes: Int) async throws {
    try await withTemporaryDirectory { folder in
      for isSparse in [false, true] {
        let path = try folder.write(isSparse ? [] : Self.zeros(bytes), to: "cache")
        #expect(unsafe truncate(path, off_t(bytes)) == 0)
        try CacheTable.check(path)
        try Self.expectUsable(path)
      }
    }
  }

  @Test("a cache whose entries were all removed is still one") func removed() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "cache")
      let entry = try CacheEntry.of("https://a.example/")
      do {
        let table = try CacheTable(path: path, bytes: 1_048_576)
        try table.put(entry, at: FreshnessTests.now)
        try CacheTable.check(path)
        try table.remove(entry.url)
      }
      try CacheTable.check(path)
      try Self.expectUsable(path)
    }
  }

  /// As during a rolling update that lowers `--cache`. The larger table writes beyond the end of the file.
  @Test("a cache of two sizes at once is still one") func sizes() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "cache")
      let large = try CacheTable(path: path, bytes: 1_048_576)
      _ = try CacheTable(path: path, bytes: 65_536)
      var number = 0
      while try Files.size(of: path) % Self.row == 0 {
        try large.put(try CacheEntry.of("https://a.example/\(number)"), at: FreshnessTests.now)
        number += 1
      }
      try CacheTable.check(path)
      try Self.expectUsable(path)
    }
  }

  @Test("several threads may make the cache at once") func together() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "cache")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          let entry = try CacheEntry.of("https://a.example/\(number)")
          group.addTask {
            try CacheTable.check(path)
            let table = try CacheTable(path: path, bytes: 1_048_576)
            try table.put(entry, at: FreshnessTests.now)
          }
        }
        try await group.waitForAll()
      }
      try Self.expectUsable(path)
    }
  }

  @Test("checking a name makes no file, and does not follow a link") func nothing() async throws {
    try await withTemporaryDirectory { folder in
      try folder.write(Array("mine".utf8), to: "other")
      #expect(unsafe symlink(folder.path(of: "other"), folder.path(of: "link")) == 0)
      #expect(unsafe mkfifo(folder.path(of: "pipe"), 0o600) == 0)
      for name in ["missing", "link", "pipe", "."] { try CacheTable.check(folder.path(of: name)) }
      #expect(folder.names == ["link", "other", "pipe"])
    }
  }

  private static func expectUsable(_ path: String) throws {
    let table = try CacheTable(path: path, bytes: 65_536)
    let entry = try CacheEntry.of("https://b.example/")
    #expect(try table.find(entry.url) == nil)
    try table.put(entry, at: FreshnessTests.now)
    #expect(try table.find(entry.url) == entry)
    #expect(try Files.size(of: path) == 65_536)
  }
}
