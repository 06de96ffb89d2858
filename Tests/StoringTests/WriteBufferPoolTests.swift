import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Storing

@Suite("WriteBufferPool")
struct WriteBufferPoolTests {
  @Test("a few short files get a buffer each, and return it at the end")
  func buffers() {
    let pool = WriteBufferPool(isMemoryPlenty: { true })
    #expect(Self.takeAll(pool).count == WriteBufferPool.count)
    #expect(pool.take(for: 1) == nil)
    pool.giveBack()
    #expect(pool.take(for: nil) == nil)
    #expect(pool.take(for: WriteBufferPool.largestFile + 1) == nil)
    #expect(pool.take(for: WriteBufferPool.largestFile) != nil)
    #expect(pool.take(for: 1) == nil)
  }

  @Test("the memory of a buffer is reused, and there is never more than for all of them")
  func memory() {
    let pool = WriteBufferPool(isMemoryPlenty: { true })
    for _ in 0..<3 { useAll(of: pool) }
    #expect(pool.spares == WriteBufferPool.count)
    #expect((pool.take(for: 1)?.capacity ?? 0) >= WriteBufferPool.bytes)
    #expect(pool.spares == WriteBufferPool.count - 1)
  }

  @Test("if memory is short there are no buffers, and the memory of returned ones is freed")
  func shortage() {
    let isPlenty = Mutex(true)
    let pool = WriteBufferPool { isPlenty.withLock { $0 } }
    useAll(of: pool)
    let buffer = pool.take(for: 1)
    isPlenty.withLock { $0 = false }
    #expect(pool.take(for: 1) == nil)
    #expect(pool.spares == WriteBufferPool.count - 2)
    pool.giveBack(buffer)
    #expect(pool.spares == WriteBufferPool.count - 3)
    isPlenty.withLock { $0 = true }
    #expect(Self.takeAll(pool).count == WriteBufferPool.count)
  }

  /// Takes all remaining buffers and returns them, so that their memory is allocated.
  private func useAll(of pool: WriteBufferPool) {
    for buffer in Self.takeAll(pool) { pool.giveBack(buffer) }
  }

  @Test(
    "a file has all its bytes, even if another length was announced",
    arguments: [0, 1, 7_000, 21_000, 24_576, 24_577, 28_000, 35_000, 40_000, 65_536])
  func lengths(announced: Int) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      // The second file may get the memory of the first.
      for factor in [7, 11] {
        let body = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* factor) }
        var file = try store.spools.makeSpool(announced: announced)
        for start in stride(from: 0, to: body.count, by: 7_000) {
          let end = min(start + 7_000, body.count)
          try file.append(body[start..<end].span)
          var buffer = [UInt8](repeating: 0, count: body.count)
          var span = buffer.mutableSpan
          let count = file.read(at: 0, into: &span)
          #expect(Array(buffer[..<count]) == Array(body[..<end]))
        }
        let stored = try store.commit(file, filenameExtension: "jpg")
        #expect(try Files.read(folder.path(of: stored.name)) == body)
        #expect(stored.sha256 == Self.digest(of: body))
      }
    }
  }

  @Test(
    "a file that fits into a buffer is created when it is finished, and a longer one at once",
    arguments: [0, 1, 24_576, 24_577, 65_536, 65_537])
  func finishing(length: Int) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var file = try store.spools.makeSpool(announced: length)
      try file.append(body, inPiecesOf: 8_192)
      // One for the directory, and one for the file if it has been created.
      #expect(descriptors(in: folder.path) == (length <= WriteBufferPool.bytes ? 1 : 2))
      #expect(file.bytes(at: 0, count: length + 1) == body)
      let finished = try file.finish(filenameExtension: "jpg")
      #expect(descriptors(in: folder.path) == 2)
      #expect(finished.stored.sha256 == Self.digest(of: body))
      let stored = try store.commit([finished])[0].get()
      #expect(try Files.read(folder.path(of: stored.name)) == body)
    }
  }

  @Test("if all buffers are taken, a file is created at once") func none() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      try whileAllAreTaken(in: store) {
        var file = try store.spools.makeSpool(announced: 3)
        #expect(descriptors(in: folder.path) == 2)
        try file.append([1, 2, 3])
        #expect(try store.commit(file, filenameExtension: "jpg").size == 3)
      }
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  /// Calls `body` while `count` files are buffered in `store`, so that no buffer is free.
  private func whileAllAreTaken(
    in store: DirectoryStore, count: Int = WriteBufferPool.count, _ body: () throws -> Void
  ) throws {
    guard count > 0 else { return try body() }
    let file = try store.spools.makeSpool(announced: 3)
    let isBuffered = file.isBufferedWhole
    #expect(isBuffered)
    try whileAllAreTaken(in: store, count: count - 1, body)
    _ = consume file
  }

  @Test("a buffer is free again once its file is written or dropped")
  func freed() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      for isGivenUp in [false, true, false] {
        for number in 0..<2 * WriteBufferPool.count {
          var file = try store.spools.makeSpool(announced: 3)
          try file.append([1, 2, UInt8(number)].span)
          let isBuffered = file.isBufferedWhole
          #expect(isBuffered)
          if !isGivenUp { _ = try file.finish(filenameExtension: "jpg") }
        }
      }
    }
  }

  private static func digest(of bytes: [UInt8]) -> String? {
    SHA256.digest(of: bytes.span).map { String(hexadecimal: $0.span) }
  }

  private static func takeAll(_ pool: WriteBufferPool) -> [[UInt8]] {
    Array(sequence(state: ()) { _ in pool.take(for: 1) })
  }
}
