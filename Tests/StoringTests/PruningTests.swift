import CLinux
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Storing

@Suite("Pruning", .timeLimit(.minutes(5)))
struct PruningTests {
  private static let extensions: Set<String> = ["jpg", "png"]

  static func prune(
    _ store: DirectoryStore, unusedFor age: Int = 3_600, isDryRun: Bool = false
  ) throws -> PruneResult {
    try store.prune(unusedFor: age, extensions: extensions, isDryRun: isDryRun)
  }

  @Test("files that were not used for that long are removed, and nothing else") func unused() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let old = try store.store([1, 2, 3])
      let used = try store.store([4])
      let changed = try store.store([5], as: "png")
      setAge(of: folder.path(of: old.name), 3_700)
      setAge(of: folder.path(of: used.name), 3_500)
      setAge(of: folder.path(of: changed.name), 3_700, ofChange: 10)
      #expect(try Self.prune(store, isDryRun: true) == PruneResult(files: 1, bytes: 3, kept: 2))
      #expect(folder.names.count == 3)
      #expect(try Self.prune(store) == PruneResult(files: 1, bytes: 3, kept: 2))
      #expect(folder.names == [used.name, changed.name].sorted())
      #expect(try Self.prune(store) == PruneResult(kept: 2))
    }
  }

  @Test("only files of the store are touched") func foreign() async throws {
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
      // A file left by a crash.
      setAge(of: try folder.write([1, 2], to: ".\(digests[3]).jpg.4711"), 1_000_000)
      let before = folder.names
      #expect(try Self.prune(store) == PruneResult(files: 1, bytes: 2))
      #expect(folder.names == before.filter { !$0.hasSuffix(".4711") })
    }
  }

  @Test("a file that was used in the last minute is kept, whatever the age limit") func minute() async throws
  {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1])
      #expect(try Self.prune(store, unusedFor: 0) == PruneResult(kept: 1))
      #expect(try Self.prune(store, unusedFor: .min) == PruneResult(kept: 1))
      // The recorded time may be older than the last use.
      setAge(of: folder.path(of: file.name), 60 + DirectoryStore.useRecordInterval - 5)
      #expect(try Self.prune(store, unusedFor: 0) == PruneResult(kept: 1))
      #expect(try Self.prune(store, unusedFor: .max) == PruneResult(kept: 1))
      setAge(of: folder.path(of: file.name), 60 + DirectoryStore.useRecordInterval + 1)
      #expect(try Self.prune(store, unusedFor: 0) == PruneResult(files: 1, bytes: 1))
    }
  }

  @Test(
    "a file that another result refers to is kept, whether it was known or stored again",
    arguments: [true, false])
  func reused(isKnown: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1, 2, 3])
      let path = folder.path(of: file.name)
      setAge(of: path, 1_000_000)
      let change = status(of: path).st_mtim.tv_sec
      if isKnown {
        #expect(store.touchNow(file.name, size: 3))
      } else {
        #expect(try store.store([1, 2, 3]) == file)
      }
      #expect(try Self.prune(store) == PruneResult(kept: 1))
      // A server that serves the file does not see it change.
      #expect(status(of: path).st_mtim.tv_sec == change)
    }
  }

  @Test("a locked file is kept") func locked() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let path = folder.path(of: try store.store([1]).name)
      setAge(of: path, 1_000_000)
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      #expect(flock(file, LOCK_SH) == 0)
      #expect(try Self.prune(store) == PruneResult(kept: 1))
      close(file)
      #expect(try Self.prune(store) == PruneResult(files: 1, bytes: 1))
    }
  }

  @Test("a file that another process keeps locked is replaced without waiting")
  func lockedForGood() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let stored = try store.store([1])
      let file = unsafe open(folder.path(of: stored.name), O_RDONLY | O_CLOEXEC)
      #expect(flock(file, LOCK_EX) == 0)
      #expect(!store.touchNow(stored.name, size: 1))
      #expect(try store.store([1]) == stored)
      // The name now belongs to another file, which is not locked.
      #expect(store.touchNow(stored.name, size: 1))
      close(file)
    }
  }

  @Test("a file that took the name after prune looked at it is kept")
  func replaced() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      let path = folder.path(of: name)
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      // Prune has locked the file and is delayed.
      #expect(flock(file, LOCK_EX) == 0)
      let old = status(of: path)
      #expect(try store.store([1, 2, 3]).name == name)
      let new = status(of: path)
      #expect(new.st_ino != old.st_ino)
      #expect(try !store.remove(name, ifStill: old))
      #expect(status(of: path).st_ino == new.st_ino)
      #expect(folder.names == [name])
      #expect(try store.remove(name, ifStill: new))
      #expect(folder.names == [])
      // Another process has removed it.
      #expect(try store.remove(name, ifStill: new))
    }
  }

  @Test("a file that replaces another one is locked before it has a name")
  func replacing() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      var file = try store.spools.makeSpool()
      try file.append([1, 2, 3])
      let finished = try file.finish(filenameExtension: "jpg")
      // The size differs, so that the existing file is not reused.
      try folder.write([1], to: name)
      #expect(try store.commit([finished])[0].get().name == name)
      let other = unsafe open(folder.path(of: name), O_RDONLY | O_CLOEXEC)
      defer { close(other) }
      withExtendedLifetime(finished) { #expect(flock(other, LOCK_EX | LOCK_NB) != 0) }
    }
  }

  @Test("prune continues after a file that it cannot open, and reports it") func unreadable() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        unsafe chmod(folder.path, 0o777)
        let digests = (10..<30).map { String(repeating: "\($0)", count: 32) }
        for digest in digests { setAge(of: try folder.write([1], to: "\(digest).jpg"), 1_000_000) }
        let unreadable = folder.path(of: "\(digests[7]).jpg")
        unsafe chmod(unreadable, 0)
        // These cannot be opened either, but are not files, or are in use.
        unsafe mknod(folder.path(of: "\(digests[0]).png"), S_IFSOCK | 0o644, 0)
        unsafe mkdir(folder.path(of: "\(digests[1]).png"), 0)
        unsafe chmod(try folder.write([1], to: "\(digests[2]).png"), 0)
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let store = try DirectoryStore(path: folder.path)
        for isDryRun in [true, false, false] {
          let collected = try Self.prune(store, isDryRun: isDryRun)
          #expect(collected.failed == 1)
          let operation = "opening \(digests[7]).jpg"
          #expect(
            collected.failure == .failed(operation: operation, path: store.spools.path, code: EACCES))
          #expect(collected.kept == 1)
        }
        #expect(folder.names == digests[...2].map { "\($0).png" } + ["\(digests[7]).jpg"])
        if getuid() == 0 { seteuid(0) }
      }
    }
  }

  @Test("prune continues after a file that it cannot remove, and reports it") func unremovable() async throws
  {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        for number in 10..<20 {
          let name = "\(String(repeating: "\(number)", count: 32)).jpg"
          setAge(of: try folder.write([1], to: name), 1_000_000)
        }
        let names = folder.names
        unsafe chmod(folder.path, 0o555)
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let collected = try Self.prune(DirectoryStore(path: folder.path))
        #expect(collected.failed == 10)
        #expect(collected.files == 0)
        #expect("\(collected.failure.map { "\($0)" } ?? "")".hasSuffix("Permission denied"))
        #expect(folder.names == names)
        if getuid() == 0 { seteuid(0) }
        unsafe chmod(folder.path, 0o755)
      }
    }
  }

  @Test("a file that is gone, or has another size, cannot be used") func gone() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store([1, 2, 3])
      #expect(!store.touchNow(file.name, size: 4))
      #expect(store.touchNow(file.name, size: 3))
      Files.remove(folder.path(of: file.name))
      #expect(!store.touchNow(file.name, size: 3))
      #expect(unsafe mkdir(folder.path(of: file.name), 0o755) == 0)
      #expect(!store.touchNow(file.name, size: 3))
    }
  }

  /// A file that always looks old is pruned while others use it or store it again. If they are told
  /// that it is there, it must be there.
  @Test("a file that was just reported as present is not removed", .timeLimit(.minutes(5)))
  func race() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(isDurable: false))
      let content: [UInt8] = [1, 2, 3]
      let name = try store.store(content).name
      let path = folder.path(of: name)
      let used = Counter()
      let lost = Counter()
      for round in 0..<400 {
        if !Files.exists(path) { _ = try store.store(content) }
        setAge(of: path, 1_000_000)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { _ = try? Self.prune(store) }
          for number in 0..<3 {
            group.addTask {
              let isThere =
                number == round % 3 ? (try? store.store(content)) != nil : store.touchNow(name, size: 3)
              guard isThere else { return }
              used.add()
              // The file is in use now, so no prune may remove it or have removed it before.
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

private final class Counter: Sendable {
  private let number = Atomic(0)

  var count: Int { number.load(ordering: .relaxed) }

  func add() { number.wrappingAdd(1, ordering: .relaxed) }
}

/// Makes a file look as if it was last read, and changed, this many seconds ago.
func setAge(of path: String, _ seconds: Int, ofChange change: Int? = nil) {
  let now = time(nil)
  let times = [
    timespec(tv_sec: now - seconds, tv_nsec: 0), timespec(tv_sec: now - (change ?? seconds), tv_nsec: 0),
  ]
  #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
}
