import Glibc
import TestSupport
import Testing

@testable import Storing

@Suite("Collecting", .timeLimit(.minutes(2)))
struct CollectingTests {
  private static let extensions: Set<String> = ["jpg", "png"]

  private static func collect(
    _ store: DirectoryStore, unusedFor age: Int = 3_600, isTrial: Bool = false
  ) throws -> Collection {
    try store.collect(unusedFor: age, extensions: extensions, isTrial: isTrial)
  }

  @Test("takes away what nobody has used for so long, and nothing else") func unused() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let old = try store.store([1, 2, 3])
      let used = try store.store([4])
      let changed = try store.store([5], as: "png")
      setAge(of: folder.path(of: old.name), 3_700)
      setAge(of: folder.path(of: used.name), 3_500)
      setAge(of: folder.path(of: changed.name), 3_700, ofChange: 10)
      #expect(try Self.collect(store, isTrial: true) == Collection(files: 1, bytes: 3, kept: 2))
      #expect(folder.names.count == 3)
      #expect(try Self.collect(store) == Collection(files: 1, bytes: 3, kept: 2))
      #expect(folder.names == [used.name, changed.name].sorted())
      #expect(try Self.collect(store) == Collection(kept: 2))
    }
  }

  @Test("touches only what the store has made") func foreign() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let digest = String(repeating: "ab", count: 32)
      let foreign = [
        ".push-enricher-cache", "photo.jpg", "\(digest).txt", "\(digest)", "\(digest).jpg.bak",
        ".\(digest).jpg",
        ".\(digest).jpg.", ".\(digest).jpg.x", "\(digest.uppercased()).jpg", "\(digest.dropLast()).jpg",
        "README",
      ]
      for name in foreign { setAge(of: try folder.write([1], to: name), 1_000_000) }
      let digests = (0..<4).map { String(repeating: "0\($0)", count: 32) }
      unsafe mkdir(folder.path(of: "\(digests[0]).jpg"), 0o755)
      #expect(unsafe symlink(folder.path(of: "README"), folder.path(of: "\(digests[1]).jpg")) == 0)
      #expect(unsafe mkfifo(folder.path(of: "\(digests[2]).jpg"), 0o644) == 0)
      // What a crash has left.
      setAge(of: try folder.write([1, 2], to: ".\(digests[3]).jpg.4711"), 1_000_000)
      let before = folder.names
      #expect(try Self.collect(store) == Collection(files: 1, bytes: 2))
      #expect(folder.names == before.filter { !$0.hasSuffix(".4711") })
    }
  }

  @Test("spares what was used in the last minute, whatever it is told") func minute() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1])
      #expect(try Self.collect(store, unusedFor: 0) == Collection(kept: 1))
      #expect(try Self.collect(store, unusedFor: .min) == Collection(kept: 1))
      // The note of a use may be older than the last one.
      setAge(of: folder.path(of: file.name), 60 + DirectoryStore.useNoteSeconds - 5)
      #expect(try Self.collect(store, unusedFor: 0) == Collection(kept: 1))
      #expect(try Self.collect(store, unusedFor: .max) == Collection(kept: 1))
      setAge(of: folder.path(of: file.name), 60 + DirectoryStore.useNoteSeconds + 1)
      #expect(try Self.collect(store, unusedFor: 0) == Collection(files: 1, bytes: 1))
    }
  }

  @Test("spares what another result names, before it is noted and after", arguments: [true, false])
  func reused(isKnown: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1, 2, 3])
      let path = folder.path(of: file.name)
      setAge(of: path, 1_000_000)
      let change = status(of: path).st_mtim.tv_sec
      if isKnown {
        #expect(store.use(file.name, size: 3))
      } else {
        #expect(try store.store([1, 2, 3]) == file)
      }
      #expect(try Self.collect(store) == Collection(kept: 1))
      // Whoever serves the file does not see it change.
      #expect(status(of: path).st_mtim.tv_sec == change)
    }
  }

  @Test("spares what somebody has at this moment") func locked() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let path = folder.path(of: try store.store([1]).name)
      setAge(of: path, 1_000_000)
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      #expect(flock(file, LOCK_SH) == 0)
      #expect(try Self.collect(store) == Collection(kept: 1))
      close(file)
      #expect(try Self.collect(store) == Collection(files: 1, bytes: 1))
    }
  }

  @Test("waits for nobody who keeps a file locked, as everybody can who may read it")
  func lockedForGood() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let stored = try store.store([1])
      let file = unsafe open(folder.path(of: stored.name), O_RDONLY | O_CLOEXEC)
      #expect(flock(file, LOCK_EX) == 0)
      #expect(!store.use(stored.name, size: 1))
      #expect(try store.store([1]) == stored)
      // Another file, which nobody has.
      #expect(store.use(stored.name, size: 1))
      close(file)
    }
  }

  @Test("what is gone, or another size, is not used") func gone() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1, 2, 3])
      #expect(!store.use(file.name, size: 4))
      #expect(store.use(file.name, size: 3))
      Files.remove(folder.path(of: file.name))
      #expect(!store.use(file.name, size: 3))
      #expect(unsafe mkdir(folder.path(of: file.name), 0o755) == 0)
      #expect(!store.use(file.name, size: 3))
    }
  }

  /// A file that is old all the time, somebody who collects, and others who use it or store it anew: what they were told is there is.
  @Test("never takes what was just said to be there", .timeLimit(.minutes(2))) func race() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, isDurable: false)
      let content: [UInt8] = [1, 2, 3]
      let name = try store.store(content).name
      let path = folder.path(of: name)
      let used = Counter()
      let lost = Counter()
      for round in 0..<400 {
        if !Files.exists(path) { _ = try store.store(content) }
        setAge(of: path, 1_000_000)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { _ = try? Self.collect(store) }
          for number in 0..<3 {
            group.addTask {
              let isThere =
                number == round % 3 ? (try? store.store(content)) != nil : store.use(name, size: 3)
              guard isThere else { return }
              used.add()
              // It is in use now: nobody who collects from now on may take it, and nobody who did before has.
              if !Files.exists(path) { lost.add() }
            }
          }
        }
      }
      #expect(lost.count == 0)
      #expect(used.count >= 400)
    }
  }
}

/// Has a file look as if it was read, and changed, so many seconds ago.
private func setAge(of path: String, _ seconds: Int, ofChange change: Int? = nil) {
  let now = time(nil)
  let times = [
    timespec(tv_sec: now - seconds, tv_nsec: 0), timespec(tv_sec: now - (change ?? seconds), tv_nsec: 0),
  ]
  #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
}
