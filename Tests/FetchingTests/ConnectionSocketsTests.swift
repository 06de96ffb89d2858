import Glibc
import Testing

@testable import Fetching

/// What libcurl is told of its sockets.
@Suite("Sockets of connections")
struct ConnectionSocketsTests {
  private let watch: SocketWatch
  private let sockets: Connections

  init() throws {
    watch = try SocketWatch()
    sockets = Connections(watch)
  }

  /// Those that something has happened to, and that libcurl waits for.
  private var awaited: [Int32] { watch.wait(0).map(\.descriptor).filter { sockets.acknowledge($0) } }

  private func waitToRead(_ descriptor: Int32) { sockets.wait(for: descriptor, reads: true, writes: false) }

  private func rest(_ descriptor: Int32) { sockets.wait(for: descriptor, reads: false, writes: false) }

  @Test("what comes while nobody waits is told when somebody does") func arrival() throws {
    try withSocketPair { one, other in
      sockets.add(one)
      waitToRead(one)
      rest(one)
      waitToRead(one)
      #expect(awaited.isEmpty)
      #expect(unsafe write(other, "a", 1) == 1)
      #expect(awaited == [one])
      rest(one)
      // It is not asked again and again what nobody reads.
      #expect(awaited.isEmpty)
      #expect(watch.wait(0).isEmpty)
      waitToRead(one)
      #expect(awaited == [one])
    }
  }

  @Test("what can be written is told as long as it is waited for") func writing() throws {
    try withSocketPair { one, _ in
      sockets.add(one)
      sockets.wait(for: one, reads: false, writes: true)
      #expect(awaited == [one])
      sockets.wait(for: one, reads: true, writes: true)
      #expect(awaited == [one])
      waitToRead(one)
      #expect(awaited.isEmpty)
      sockets.wait(for: one, reads: false, writes: true)
      #expect(awaited == [one])
      rest(one)
      #expect(watch.wait(0).isEmpty)
    }
  }

  @Test("a new socket with the number of one that has closed at rest is waited for") func numbers() throws {
    for _ in 0..<3 {
      try withSocketPair { one, other in
        sockets.add(one)
        waitToRead(one)
        #expect(unsafe write(other, "a", 1) == 1)
        #expect(awaited == [one])
        rest(one)
      }
    }
  }
}
