import CLinux
import Glibc
@testable import Storing
import TestSupport
import Testing

/// Stores that do not work. Each has its own error, and nothing is left behind.
@Suite("StoreError", .timeLimit(.minutes(5)))
struct StoreErrorTests {
  @Test("a path that is not a directory is refused as a store, and left alone")
  func notADirectory() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([1], to: "file")
      #expect(throws: StoreError.notADirectory(path: path)) { try DirectoryStore(path: path) }
      #expect(throws: StoreError.notADirectory(path: path)) {
        try DirectoryStore(path: path, StoreSettings(creates: true))
      }
      let below = "\(path)/store"
      #expect(throws: StoreError.notADirectory(path: below)) {
        try DirectoryStore(path: below, StoreSettings(creates: true))
      }
      #expect(throws: StoreError.directoryMissing(path: "")) { try DirectoryStore(path: "") }
      #expect(try Files.read(path) == [1])
    }
  }

  @Test("a file system without unnamed files has its own error")
  func unnamed() throws {
    let store = try DirectoryStore(path: "/proc/self/task")
    #expect(throws: StoreError.unnamedFilesUnsupported(path: store.spools.path)) {
      _ = try store.spools.makeSpool()
    }
  }

  @Test(
    "nothing is stored in a directory that was renamed meanwhile, or in another one under its name",
    arguments: [true, false])
  func moved(isReplaced: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let (path, link) = (folder.path(of: "store"), folder.path(of: "link"))
      #expect(unsafe mkdir(path, 0o755) == 0 && symlink(path, link) == 0)
      let store = try DirectoryStore(path: link)
      let kept = try store.store([1])
      #expect(store.touchNow(kept.name, size: 1))
      let error: StoreError
      if isReplaced {
        // Makes the old name lead to another directory.
        let other = folder.path(of: "other")
        #expect(unsafe mkdir(other, 0o755) == 0 && unlink(link) == 0 && symlink(other, link) == 0)
        error = .directoryReplaced(path: store.spools.path)
      } else {
        #expect(unsafe rename(path, folder.path(of: "moved")) == 0)
        error = .directoryMissing(path: store.spools.path)
      }
      #expect(throws: error) { try store.store([1, 2]) }
      #expect(throws: error) { try store.store([1]) }
      #expect(!store.touchNow(kept.name, size: 1))
    }
  }

  @Test(
    "a directory that was removed meanwhile is reported as missing, and nothing is left of the file",
    arguments: [nil, 3])
  func removed(announced: Int?) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "store")
      let store = try DirectoryStore(path: path, StoreSettings(creates: true))
      var file = try store.spools.makeSpool(announced: announced)
      try file.append([1, 2, 3])
      Files.remove(path)
      #expect(throws: StoreError.directoryMissing(path: store.spools.path)) {
        _ = try store.spools.makeSpool()
      }
      var error: StoreError?
      do throws(StoreError) { _ = try store.commit(file, filenameExtension: "jpg") } catch let failure {
        error = failure
      }
      #expect(error == .directoryMissing(path: store.spools.path))
      #expect(folder.names.isEmpty)
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  /// The name of "abc", which is known in advance.
  private static let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.jpg"

  @Test("if something else has taken the name, it is left alone", arguments: ["folder", "link", "pipe"])
  func occupied(kind: String) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let path = folder.path(of: Self.name)
      switch kind {
      case "pipe": unsafe mkfifo(path, 0o644)
      case "folder": unsafe mkdir(path, 0o755)
      default: _ = unsafe symlink("/nonexistent", path)
      }
      let before = status(of: path)
      #expect(throws: StoreError.nameOccupied(path: "\(store.spools.path)/\(Self.name)")) {
        try store.store(Array("abc".utf8))
      }
      #expect(status(of: path).st_ino == before.st_ino)
      #expect(status(of: path).st_size == before.st_size)
      #expect(folder.names == [Self.name])
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  @Test("a file that is incomplete after a power cut is replaced", arguments: [true, false])
  func damaged(isDurable: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(isDurable: isDurable))
      try folder.write(Array("ab".utf8), to: Self.name)
      _ = try store.store(Array("abc".utf8))
      #expect(try Files.read(folder.path(of: Self.name)) == Array("abc".utf8))
      #expect(folder.names == [Self.name])
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  @Test("a file that this user cannot read is replaced by one that it can")
  func unreadable() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let path = try folder.write(Array("abc".utf8), to: Self.name)
        unsafe chmod(path, 0)
        unsafe chmod(folder.path, 0o777)
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let store = try DirectoryStore(path: folder.path)
        #expect(try store.store(Array("abc".utf8)).name == Self.name)
        #expect(try Files.read(path) == Array("abc".utf8))
        #expect(folder.names == [Self.name])
        #expect(descriptors(in: folder.path) == 1)
        if getuid() == 0 { seteuid(0) }
      }
    }
  }

  @Test("a store that this user cannot write to is reported as not writable, and nothing is left in it")
  func notWritable() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        unsafe chmod(folder.path, 0o555)
        // Root may write everywhere; 65534 is the user nobody.
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let store = try DirectoryStore(path: folder.path)
        #expect(throws: StoreError.notWritable(path: store.spools.path)) { _ = try store.spools.makeSpool() }
        let path = folder.path(of: "store")
        #expect(throws: StoreError.notCreatable(path: path, parent: store.spools.path)) {
          try DirectoryStore(path: path, StoreSettings(creates: true))
        }
        #expect(folder.names.isEmpty)
        if getuid() == 0 { seteuid(0) }
        unsafe chmod(folder.path, 0o755)
      }
    }
  }

  @Test("a directory that this user cannot list is refused as a store")
  func notReadable() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        unsafe chmod(folder.path, 0)
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        #expect(throws: StoreError.notWritable(path: folder.path)) { try DirectoryStore(path: folder.path) }
        if getuid() == 0 { seteuid(0) }
        unsafe chmod(folder.path, 0o755)
      }
    }
  }

  /// A limit on the size of files simulates a full disk. The code takes the same path.
  @Test("a full store refuses what does not fit, leaves nothing of it, and accepts what fits")
  func full() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        signal(SIGXFSZ, SIG_IGN)
        let store = try DirectoryStore(path: folder.path)
        var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        #expect(throws: StoreError.full(path: store.spools.path)) {
          try store.store([UInt8](repeating: 1, count: 150_000))
        }
        var limitOfBuffered = rlimit(rlim_cur: 2, rlim_max: 100_000)
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limitOfBuffered) == 0)
        for _ in 0...WriteBufferPool.count {
          #expect(throws: StoreError.full(path: store.spools.path)) { try store.storeBuffered([1, 2, 3]) }
        }
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        #expect(folder.names.isEmpty)
        #expect(descriptors(in: folder.path) == 1)
        // A smaller file still fits.
        #expect(try store.store([UInt8](repeating: 1, count: 50_000)).size == 50_000)
      }
    }
  }

  @Test("each error of the kernel is translated to what it means for the store")
  func codes() {
    let expected: [(Int32, StoreError)] = [
      (ENOENT, .directoryMissing(path: "p")), (ENOTDIR, .notADirectory(path: "p")),
      (EACCES, .notWritable(path: "p")),
      (EPERM, .notWritable(path: "p")), (EROFS, .notWritable(path: "p")), (ENOSPC, .full(path: "p")),
      (EDQUOT, .full(path: "p")), (EFBIG, .full(path: "p")),
      (EOPNOTSUPP, .unnamedFilesUnsupported(path: "p")),
      (EISDIR, .unnamedFilesUnsupported(path: "p")), (EIO, .failed(operation: "o", path: "p", code: EIO)),
      (EMFILE, .failed(operation: "o", path: "p", code: EMFILE)),
    ]
    for (code, error) in expected {
      #expect(StoreError(code, operation: "o", path: "p") == error)
      #expect(error.description.contains("p"))
    }
    for code in [EMFILE, ENFILE] {
      #expect(StoreError(code, operation: "o", path: "p").advice.hasPrefix("allow more open files"))
    }
    #expect(
      StoreError(EIO, operation: "writing", path: "p").description
        == "writing failed in p: Input/output error")
  }
}

extension DirectoryStore {
  /// Stores bytes that are short enough to be buffered until they are complete.
  fileprivate func storeBuffered(_ bytes: [UInt8]) throws -> StoredFile {
    var file = try spools.makeSpool(announced: bytes.count)
    try file.append(bytes.span)
    let isBuffered = file.isBufferedWhole
    #expect(isBuffered)
    return try commit(file, filenameExtension: "jpg")
  }
}
