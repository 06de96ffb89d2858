@testable import Storing
import TestSupport
import Testing

@Suite("A file that is written in larger pieces than it arrives in")
struct GatheringTests {
  static let body = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test(
    "has the same bytes and the same name",
    arguments: [0, 1, 99, 100, 101, 1_000, 5_000],
    [1, 33, 100, 1_000])
  func names(pieceBytes: Int, pieces: Int) async throws {
    try await withTemporaryDirectory { folder in
      let plain = try DirectoryStore(path: folder.path).store(Self.body)
      let stored = try Files.read(folder.path(of: plain.name))
      #expect(stored == Self.body)
      try await withTemporaryDirectory { other in
        let store = try DirectoryStore(path: other.path, StoreSettings(pieceBytes: pieceBytes))
        for announced in [nil, Self.body.count, 100, 2_000] {
          var file = try store.spools.makeSpool(announced: announced)
          try file.append(Self.body, inPiecesOf: pieces)
          let stored = try store.commit(file, filenameExtension: "\(announced ?? 0)")
          #expect(stored.sha256 == plain.sha256)
          #expect(try Files.read(other.path(of: stored.name)) == Self.body)
        }
      }
    }
  }

  @Test("can be read back whether or not its pieces have been written", arguments: [0, 64, 512, 5_000])
  func readBack(pieceBytes: Int) async throws {
    try await withTemporaryDirectory { folder in
      var file = try DirectoryStore(path: folder.path, StoreSettings(pieceBytes: pieceBytes)).spools
        .makeSpool()
      for start in stride(from: 0, to: Self.body.count, by: 100) {
        try file.append(Self.body[start..<start + 100].span)
        for offset in [0, 50, start, start + 60, start + 100] {
          var buffer = [UInt8](repeating: 0, count: 150)
          var span = buffer.mutableSpan
          let count = file.read(at: offset, into: &span)
          #expect(Array(buffer[..<count]) == Array(Self.body[offset..<min(offset + 150, start + 100)]))
        }
      }
      #expect(file.size == Self.body.count)
    }
  }
}
