@testable import Storing
import TestSupport
import Testing

@Suite("Spool")
struct SpoolTests {
  @Test("appended bytes can be read from any offset", arguments: [nil, 20_000])
  func reading(announced: Int?) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var file = try store.spools.makeSpool(announced: announced)
      for offset in [-1, 0, 1] { #expect(file.bytes(at: offset, count: 8).isEmpty) }
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
      try file.append(bytes, inPiecesOf: 999)
      #expect(file.size == 100_000)
      #expect(file.bytes(at: 0, count: 100_000) == bytes)
      #expect(file.bytes(at: 12_345, count: 100) == Array(bytes[12_345..<12_445]))
      #expect(file.bytes(at: 99_990, count: 100) == Array(bytes.suffix(10)))
      #expect(file.bytes(at: 100_000, count: 10).isEmpty)
      #expect(file.bytes(at: .max, count: 10).isEmpty)
      #expect(file.bytes(at: -1, count: 10).isEmpty)
      #expect(file.bytes(at: 0, count: 0).isEmpty)
      // Reading does not move the position of the next piece.
      try file.append([1, 2, 3])
      #expect(file.bytes(at: 99_999, count: 10) == [bytes[99_999], 1, 2, 3])
    }
  }

  @Test("a file without any appended bytes is stored empty")
  func empty() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var file = try store.spools.makeSpool()
      try file.append([UInt8]().span)
      #expect(file.size == 0)
      #expect(try store.commit(file, filenameExtension: "gif").size == 0)
    }
  }

  /// The file is large enough to start writeback several times, with a remainder.
  @Test("a large file is stored completely")
  func large() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var bytes = [UInt8](repeating: 7, count: 13_000_001)
      for index in stride(from: 0, to: bytes.count, by: 4_099) {
        bytes[index] = UInt8(truncatingIfNeeded: index)
      }
      let stored = try store.store(bytes, as: "mp4")
      #expect(stored.size == 13_000_001)
      #expect(try Files.size(of: folder.path(of: stored.name)) == 13_000_001)
      // Compares the digest of the stream with the bytes on the disk.
      let sum = try await Command("sha256sum").runSuccessfully([folder.path(of: stored.name)])
      #expect(sum.output.hasPrefix("\(stored.sha256) "))
    }
  }
}
