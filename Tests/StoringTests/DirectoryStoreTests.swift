import CLinux
import Glibc
@testable import Storing
import TestSupport
import Testing

@Suite("DirectoryStore")
struct DirectoryStoreTests {
  /// SHA-256 of FIPS 180-4's examples (NIST, "SHA256.pdf").
  static let digests: [([UInt8], String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      [UInt8](repeating: 0x61, count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(
    "a file is named after its content, whatever the pieces that it came in", arguments: digests.indices,
    [1_000_000, 16_384, 61])
  func names(number: Int, pieces: Int) async throws {
    let (bytes, digest) = Self.digests[number]
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let file = try store.store(bytes, as: "m4a", inPiecesOf: pieces)
      #expect(file == StoredFile(name: "\(digest).m4a", size: bytes.count))
      #expect(folder.names == [file.name])
      #expect(try Files.read(folder.path(of: file.name)) == bytes)
    }
  }

  @Test("the same content is one file, and with another extension it is a second one")
  func twice() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let first = try store.store([1, 2, 3])
      let reader = unsafe open(folder.path(of: first.name), O_RDONLY | O_CLOEXEC)
      defer { close(reader) }
      #expect(try store.store([1, 2, 3]) == first)
      #expect(status(of: folder.path(of: first.name)).st_nlink == 1)
      // A process that reads the file meanwhile is not affected.
      var buffer = [UInt8](repeating: 0, count: 4)
      #expect(unsafe pread(reader, &buffer, 4, 0) == 3)
      #expect(buffer == [1, 2, 3, 0])
      #expect(folder.names == [first.name])
      let other = try store.store([1, 2, 3], as: "png")
      #expect(folder.names == [first.name, other.name].sorted())
      #expect(other.sha256 == first.sha256)
    }
  }

  @Test("has a file, or has it not, or cannot tell") func touch() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let name = try store.store([1, 2, 3]).name
      #expect(await store.touch(name, size: 3) == .present)
      #expect(await store.touch(name, size: 4) == .absent)
      #expect(await store.touch("other.png", size: 3) == .absent)
      // Whoever keeps it locked may be about to remove it.
      let reader = unsafe open(folder.path(of: name), O_RDONLY | O_CLOEXEC)
      #expect(flock(reader, LOCK_EX) == 0)
      #expect(await store.touch(name, size: 3) == .unknown)
      close(reader)
      let isFree = try await eventually { await store.touch(name, size: 3) == .present }
      #expect(isFree)
      Files.remove(folder.path)
      #expect(await store.touch(name, size: 3) == .unknown)
    }
  }

  @Test("many equal and different files can be stored at once")
  func concurrent() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let files = try await withThrowingTaskGroup(of: StoredFile.self) { group in
        for number in 0..<64 {
          group.addTask { try store.store([UInt8](repeating: UInt8(number % 8), count: 50_000)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(files.map(\.name)).count == 8)
      #expect(folder.names == Set(files.map(\.name)).sorted())
      for name in folder.names {
        let bytes = try Files.read(folder.path(of: name))
        #expect(bytes.count == 50_000)
        #expect(bytes.allSatisfy { $0 == bytes[0] })
      }
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  @Test("a file is invisible before it is committed, and when it is dropped")
  func unseen() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      do {
        var file = try store.spools.makeSpool()
        try file.append([UInt8](repeating: 1, count: 5_000_000))
        #expect(folder.names.isEmpty)
        #expect(descriptors(in: folder.path) == 2)
        #expect(file.size == 5_000_000)
      }
      #expect(folder.names.isEmpty)
      // The digest thread may be in the middle of a megabyte.
      #expect(await eventually { descriptors(in: folder.path) == 1 })
    }
  }

  @Test("a store that is released closes its directory, and its files stay")
  func closing() async throws {
    try await withTemporaryDirectory { folder in
      let file = try DirectoryStore(path: folder.path).store([1])
      #expect(descriptors(in: folder.path) == 0)
      #expect(folder.names == [file.name])
    }
  }

  @Test("everybody may read a stored file, and only the owner may write it")
  func mode() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        umask(0o022)
        let file = try DirectoryStore(path: folder.path).store([1])
        let status = status(of: folder.path(of: file.name))
        #expect(status.st_mode & S_IFMT == S_IFREG)
        #expect(status.st_mode & 0o7777 == 0o644)
        #expect(status.st_uid == geteuid())
      }
    }
  }

  @Test("the path of a store is absolute and without links, so that its URLs stay valid")
  func path() async throws {
    try await withTemporaryDirectory { folder in
      let real = folder.path(of: "real")
      let link = folder.path(of: "link")
      unsafe mkdir(real, 0o755)
      #expect(unsafe symlink(real, link) == 0)
      let resolved = try DirectoryStore(path: real).path
      #expect(resolved.hasSuffix("/real"))
      #expect(try DirectoryStore(path: "\(link)/../link/.").path == resolved)
      let file = try DirectoryStore(path: link).store([1])
      #expect(Files.names(in: real) == [file.name])
    }
  }

  @Test("a missing directory is created if that is requested")
  func creating() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "store")
      #expect(throws: StoreError.directoryMissing(path: path)) { try DirectoryStore(path: path) }
      #expect(!Files.exists(path))
      _ = try DirectoryStore(path: path, StoreSettings(creates: true)).store([1])
      #expect(Files.names(in: path).count == 1)
      // An existing directory is used as it is.
      _ = try DirectoryStore(path: path, StoreSettings(creates: true)).store([2])
      #expect(Files.names(in: path).count == 2)
      let deep = folder.path(of: "a/b")
      #expect(throws: StoreError.directoryMissing(path: deep)) {
        try DirectoryStore(path: deep, StoreSettings(creates: true))
      }
    }
  }
}
