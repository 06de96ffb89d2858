import CLinux
import Glibc
@testable import Storing
import TestSupport
import Testing

/// Stores that cannot be: each with its own error, and nothing left behind.
@Suite("StoreError", .timeLimit(.minutes(1)))
struct StoreErrorTests {
  @Test("a path that is no directory is refused as a store, and left alone")
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

  @Test("a file system without unnamed files is told by its own error")
  func unnamed() throws {
    let store = try DirectoryStore(path: "/proc/self/task")
    #expect(throws: StoreError.unnamedFilesUnsupported(path: store.spools.path)) {
      _ = try store.spools.makeSpool()
    }
  }

  @Test(
    "nothing is stored in a directory that stands under another name meanwhile, nor in another under its own",
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
        // So that whoever goes by the name finds another.
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
    "a directory that is removed meanwhile is told to be missing, and nothing is left of the file",
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

  /// "abc", whose name is known beforehand.
  private static let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.jpg"

  @Test("a name that something else has taken is left alone", arguments: ["folder", "link", "pipe"])
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

  @Test("what a power cut left of a file is replaced by all of it", arguments: [true, false])
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

  @Test("a file that this user may not read is replaced by one that it may")
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

  @Test("a store that this user may not write to is told to be not writable, and nothing is left in it")
  func notWritable() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        unsafe chmod(folder.path, 0o555)
        // Root may write everywhere; 65534 is nobody.
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let store = try DirectoryStore(path: folder.path)
        #expect(throws: StoreError.notWritable(path: store.spools.path)) { _ = try store.spools.makeSpool() }
        let path = folder.path(of: "store")
        #expect(throws: StoreError.notWritable(path: path)) {
          try DirectoryStore(path: path, StoreSettings(creates: true))
        }
        #expect(folder.names.isEmpty)
        if getuid() == 0 { seteuid(0) }
        unsafe chmod(folder.path, 0o755)
      }
    }
  }

  @Test("a directory that this user may not look into is refused as a store")
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

  /// A limit on the size of files stands in for a full disk: the same place in the code.
  @Test("a full store refuses what does not fit, leaves nothing of it, and takes what fits")
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
        // What fits still does.
        #expect(try store.store([UInt8](repeating: 1, count: 50_000)).size == 50_000)
      }
    }
  }

  @Test("each error of the kernel is told with what it means for the store")
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
        == "writing failed in the store p: Input/output error")
  }
}

extension DirectoryStore {
  /// Stores what is so short that it is buffered until it is whole.
  fileprivate func storeBuffered(_ bytes: [UInt8]) throws -> StoredFile {
    var file = try spools.makeSpool(announced: bytes.count)
    try file.append(bytes.span)
    let isBuffered = file.isBufferedWhole
    #expect(isBuffered)
    return try commit(file, filenameExtension: "jpg")
  }
}
