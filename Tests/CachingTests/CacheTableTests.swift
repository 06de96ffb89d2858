@testable import Caching
import Glibc
import TestSupport
import Testing

@Suite("CacheTable")
struct CacheTableTests {
  private static let now = FreshnessTests.now

  @Test("a cache finds what was put, even after a restart, and forgets what is removed")
  func roundTrip() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "cache")
      let entries = try (0..<200).map { try CacheEntry.of("https://a.example/\($0)") }
      do {
        let table = try CacheTable(path: path, bytes: 1_048_576)
        for entry in entries { try table.put(entry, at: Self.now) }
      }
      let table = try CacheTable(path: path, bytes: 1_048_576)
      for entry in entries { #expect(try table.find(entry.url) == entry) }
      #expect(try table.find(#require(URLDigest("https://b.example/"))) == nil)
      try table.remove(entries[7].url)
      #expect(try table.find(entries[7].url) == nil)
      #expect(try table.find(entries[8].url) == entries[8])
      #expect(try Files.size(of: path) == 1_048_576)
      #expect(folder.names == ["cache"])
    }
  }

  @Test("a cache keeps only the last entry of a URL") func replaced() async throws {
    try await withTemporaryDirectory { folder in
      let table = try CacheTable(path: folder.path(of: "cache"), bytes: CacheTable.rowBytes)
      for second in 0..<100 {
        let entry = try CacheEntry.of("https://a.example/", at: Self.now + Int64(second) * 1_000)
        try table.put(entry, at: Self.now)
        #expect(try table.find(entry.url) == entry)
      }
      let others = try (1..<CacheTable.width).map { try CacheEntry.of("https://b.example/\($0)") }
      for entry in others { try table.put(entry, at: Self.now) }
      for entry in others { #expect(try table.find(entry.url) == entry) }
    }
  }

  @Test("a full row of the cache drops the least recently used entry")
  func eviction() async throws {
    try await withTemporaryDirectory { folder in
      let table = try CacheTable(path: folder.path(of: "cache"), bytes: CacheTable.rowBytes)
      let entries = try (0..<CacheTable.width + 3).map { try CacheEntry.of("https://a.example/\($0)") }
      for (number, entry) in entries.prefix(CacheTable.width).enumerated() {
        try table.put(entry, at: Self.now + Int64(number))
      }
      // The oldest entry is used again.
      try table.put(entries[0], at: Self.now + 1_000)
      for (number, entry) in entries.suffix(3).enumerated() {
        try table.put(entry, at: Self.now + 2_000 + Int64(number))
      }
      let found = try entries.indices.filter { try table.find(entries[$0].url) != nil }
      #expect(found == [0] + (4..<entries.count))
      #expect(try Files.size(of: folder.path(of: "cache")) == CacheTable.rowBytes)
    }
  }

  @Test("an entry that was used in the future is dropped first, because the clock was set back")
  func future() async throws {
    try await withTemporaryDirectory { folder in
      let table = try CacheTable(path: folder.path(of: "cache"), bytes: CacheTable.rowBytes)
      let entries = try (0...CacheTable.width).map { try CacheEntry.of("https://a.example/\($0)") }
      for (number, entry) in entries.dropLast().enumerated() {
        try table.put(entry, at: number == 5 ? .max : Self.now)
      }
      try table.put(entries[CacheTable.width], at: Self.now)
      #expect(try entries.indices.filter { try table.find(entries[$0].url) == nil } == [5])
    }
  }

  @Test("a cache is shared by several processes, even with different sizes") func shared() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "cache")
      let one = try CacheTable(path: path, bytes: 1_048_576)
      let other = try CacheTable(path: path, bytes: 1_048_576)
      let entry = try CacheEntry.of("https://a.example/")
      try one.put(entry, at: Self.now)
      #expect(try other.find(entry.url) == entry)
      // A third process wants a smaller cache and truncates the file. The others find an entry or
      // none, without an error.
      let small = try CacheTable(path: path, bytes: CacheTable.rowBytes)
      try small.put(entry, at: Self.now)
      for number in 0..<100 {
        let entry = try CacheEntry.of("https://b.example/\(number)")
        try one.put(entry, at: Self.now)
        #expect(try other.find(entry.url) == entry)
        _ = try small.find(entry.url)
      }
    }
  }

  @Test("a cache that cannot be opened says why") func errors() async throws {
    try await withTemporaryDirectory { folder in
      let missing = folder.path(of: "missing/cache")
      #expect(throws: CacheError.failed(operation: "opening", path: missing, code: ENOENT)) {
        _ = try CacheTable(path: missing, bytes: 65_536)
      }
      #expect(throws: CacheError.failed(operation: "opening", path: folder.path, code: EISDIR)) {
        _ = try CacheTable(path: folder.path, bytes: 65_536)
      }
      let link = folder.path(of: "link")
      #expect(unsafe symlink("/dev/null", link) == 0)
      #expect(throws: CacheError.failed(operation: "opening", path: link, code: ELOOP)) {
        _ = try CacheTable(path: link, bytes: 65_536)
      }
      let pipe = folder.path(of: "pipe")
      #expect(unsafe mkfifo(pipe, 0o600) == 0)
      #expect(throws: CacheError.notAFile(path: pipe)) { _ = try CacheTable(path: pipe, bytes: 65_536) }
      #expect(
        "\(CacheError.notAFile(path: pipe))" == "the cache \(pipe) is not a file: remove it")
    }
  }
  /// Another user who can write to the store could have put a link to this user's files there, or a
  /// cache that leads to media of their own.
  @Test(
    "a cache file with another hard link, another owner or open access is neither used nor changed")
  func foreign() async throws {
    try await withTemporaryDirectory { folder in
      let zeros = [UInt8](repeating: 0, count: CacheTable.rowBytes)
      let other = try folder.write(zeros, to: "other", mode: 0o600)
      let cache = folder.path(of: "cache")
      #expect(unsafe link(other, cache) == 0)
      #expect(throws: CacheError.linked(path: cache, names: 2)) {
        _ = try CacheTable(path: cache, bytes: 65_536)
      }
      #expect(unsafe unlink(other) == 0)
      for mode: UInt32 in [0o620, 0o602, 0o666] {
        #expect(unsafe chmod(cache, mode) == 0)
        #expect(throws: CacheError.writable(path: cache, mode: mode)) {
          _ = try CacheTable(path: cache, bytes: 65_536)
        }
      }
      #expect(unsafe chmod(cache, 0o600) == 0)
      if geteuid() == 0 {
        #expect(unsafe chown(cache, 65_534, 65_534) == 0)
        #expect(throws: CacheError.foreign(path: cache, owner: 65_534)) {
          _ = try CacheTable(path: cache, bytes: 65_536)
        }
        #expect(unsafe chown(cache, 0, 0) == 0)
      }
      #expect(try Files.read(cache) == zeros)
      _ = try CacheTable(path: cache, bytes: 65_536)
      #expect(try Files.size(of: cache) == 65_536)
    }
  }
}
