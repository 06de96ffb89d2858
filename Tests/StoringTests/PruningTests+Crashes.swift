import Glibc
import TestSupport
import Testing

@testable import Storing

/// Files that a killed prune or a killed worker has left behind.
extension PruningTests {
  @Test("a file that a killed prune has renamed gets its name back from the next one")
  func killed() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = folder.path as String, name = name as String] in
        let store = try DirectoryStore(path: path)
        let file = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        // Prune has locked the file and is delayed. A worker publishes the same content.
        #expect(flock(file, LOCK_EX) == 0)
        let old = status(of: "\(path)/\(name)")
        _ = try store.store([1, 2, 3])
        unsafe setenv("PUSH_ENRICHER_FAULT", "aside", 1)
        _ = try store.remove(name, ifStill: old)
      }
      #expect(folder.names.count == 1 && folder.names != [name])
      #expect(try Self.prune(store, isDryRun: true).files == 0)
      #expect(folder.names != [name])
      // Prune has seen the file under both names, or under one.
      #expect(try Self.prune(store).files == 0)
      #expect(folder.names == [name])
      #expect(store.touchNow(name, size: 3))
    }
  }

  @Test("a file that a killed prune has renamed does not count as used when its lock is released")
  func renamed() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      let path = folder.path(of: name)
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      #expect(store.recordUse(of: file, as: name))
      #expect(unsafe rename(path, folder.path(of: ".\(name).4711")) == 0)
      #expect(!store.recordUse(of: file, as: name))
    }
  }

  @Test(
    "a file left by a crash stays while its name is taken or its worker runs, and is removed when it is unused"
  )
  func leftBehind() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      let left = ".\(name).4711"
      let path = try folder.write([1, 2, 3], to: left)
      #expect(try Self.prune(store) == PruneResult(kept: 2))
      #expect(folder.names == [left, name].sorted())
      #expect(try !store.putBack(left, as: name))
      Files.remove(folder.path(of: name))
      // A worker holds such a lock until the file has its name.
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      #expect(flock(file, LOCK_SH) == 0)
      #expect(try Self.prune(store) == PruneResult(kept: 1))
      #expect(folder.names == [left])
      close(file)
      setAge(of: path, 3_700)
      #expect(try Self.prune(store) == PruneResult(files: 1, bytes: 3))
      #expect(folder.names == [])
      // Another prune was faster.
      #expect(try !store.putBack(left, as: name))
    }
  }
}
