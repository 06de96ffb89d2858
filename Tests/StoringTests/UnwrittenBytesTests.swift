@testable import Storing
import TestSupport
import Testing

@Suite("UnwrittenBytes")
struct UnwrittenBytesTests {
  @Test("all files share the limit on unwritten bytes, two pieces for each") func share() {
    let unwritten = UnwrittenBytes(maximum: 800_000)
    #expect(unwritten.piece == 262_144)
    unwritten.join()
    #expect(unwritten.piece == 262_144)
    unwritten.join()
    unwritten.join()
    unwritten.join()
    #expect(unwritten.piece == 100_000)
    for _ in 0..<20 { unwritten.join() }
    #expect(unwritten.piece == 32_768)
    for _ in 0..<22 { unwritten.leave() }
    #expect(unwritten.piece == 200_000)
  }

  @Test("files are complete even if the limit is far below their size", arguments: [4_000, 100_000])
  func whole(maximum: Int) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(unwrittenBytes: maximum))
      let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
      var one = try store.spools.makeSpool()
      var other = try store.spools.makeSpool()
      for start in stride(from: 0, to: bytes.count, by: 16_384) {
        let piece = bytes.span.extracting(start..<min(start + 16_384, bytes.count))
        try one.append(piece)
        if start > 0 { try other.append(piece) }
      }
      #expect(one.bytes(at: 0, count: bytes.count) == bytes)
      let first = try store.commit(one, filenameExtension: "jpg")
      let second = try store.commit(other, filenameExtension: "jpg")
      #expect(try Files.read(folder.path(of: first.name)) == bytes)
      #expect(try Files.read(folder.path(of: second.name)) == Array(bytes[16_384...]))
      let sums = try await Command("sha256sum").runSuccessfully(folder.names.map { folder.path(of: $0) })
      for file in [first, second] { #expect(sums.output.contains("\(file.sha256)  ")) }
    }
  }

  @Test("dropped files and incomplete pieces do not count as unwritten")
  func givenUp() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(unwrittenBytes: 400_000))
      let unwritten = try #require(store.spools.unwritten)
      func piece(whileWriting count: Int) throws -> Int {
        var file = try store.spools.makeSpool()
        try file.append([UInt8](repeating: 1, count: count))
        unwritten.join()
        defer { unwritten.leave() }
        return unwritten.piece
      }
      let small = try piece(whileWriting: 100_000)
      #expect(small == 200_000)
      let large = try piece(whileWriting: 300_000)
      #expect(large == 100_000)
      #expect(unwritten.piece == 200_000)
    }
  }
}
