@testable import Caching
import Supporting
import TestSupport
import Testing

/// Several processes with one cache file. Each also has entries in memory.
@Suite("A cache file of several processes")
struct SharedFileTests {
  private static let url = "https://a.example/photo.jpg"

  @Test("an entry in memory that is no longer fresh gives way to the one that another process has renewed")
  func renewed() async throws {
    let now = WallClock.milliseconds
    let (old, new) = (try CacheEntry.of(Self.url, at: now - 3_600_000), try CacheEntry.of(Self.url, at: now))
    try await Self.withFiles { one, other, folder in
      await other.set(new, of: new.url, besides: folder)
      #expect(await one.find(old.url, known: old, besides: folder) { _ in true } == new)
      #expect(await other.find(new.url, known: nil, besides: folder) { _ in true } == new)
    }
  }

  @Test("an entry in memory counts while it is fresh, and if the one in the file may not be used")
  func inMemory() async throws {
    let now = WallClock.milliseconds
    let fresh = try CacheEntry.of(Self.url, ["cache-control": ["max-age=86400"]], at: now - 1_000)
    let (old, new) = (try CacheEntry.of(Self.url, at: now - 3_600_000), try CacheEntry.of(Self.url, at: now))
    try await Self.withFiles { one, other, folder in
      await other.set(new, of: new.url, besides: folder)
      #expect(await one.find(old.url, known: old, besides: folder) { $0 == old } == old)
      await other.set(new, of: new.url, besides: folder)
      #expect(await one.find(fresh.url, known: fresh, besides: folder) { _ in true } == fresh)
    }
  }

  @Test("of two entries that are no longer fresh, the later one counts")
  func stale() async throws {
    let now = WallClock.milliseconds
    let entries = try [7_200_000, 3_600_000].map { try CacheEntry.of(Self.url, at: now - $0) }
    try await Self.withFiles { one, other, folder in
      for (filed, known) in [(entries[0], entries[1]), (entries[1], entries[0])] {
        await other.set(filed, of: filed.url, besides: folder)
        #expect(await one.find(known.url, known: known, besides: folder) { _ in true } == entries[1])
      }
    }
  }

  /// Calls `body` with the same file as two processes see it, and with its directory.
  private static func withFiles(_ body: (CacheFile, CacheFile, String) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let files = (0..<2).map { _ in
        CacheFile(path: nil, bytes: 65_536) { Issue.record("\($0)") }
      }
      try await body(files[0], files[1], folder.path)
    }
  }
}
