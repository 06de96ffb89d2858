import Glibc
import Supporting
import Testing

@testable import Fetching

/// Which socket events libcurl is told about.
@Suite("Sockets of connections")
struct ConnectionSocketsTests {
  private let watch: SocketWatch
  private let sockets: Connections

  init() throws {
    watch = try SocketWatch()
    sockets = Connections(watch)
  }

  /// The sockets that are ready and that libcurl waits for.
  private var awaited: [Int32] { watch.wait(0).map(\.descriptor).filter { sockets.acknowledge($0) } }

  private func waitToRead(_ descriptor: Int32) { sockets.wait(for: descriptor, reads: true, writes: false) }

  private func rest(_ descriptor: Int32) { sockets.wait(for: descriptor, reads: false, writes: false) }

  @Test("data that arrives while nobody waits is reported when somebody does") func arrival() throws {
    try withSocketPair { one, other in
      sockets.add(one)
      waitToRead(one)
      rest(one)
      waitToRead(one)
      #expect(awaited.isEmpty)
      #expect(unsafe write(other, "a", 1) == 1)
      #expect(awaited == [one])
      rest(one)
      // Unread data does not cause another event.
      #expect(awaited.isEmpty)
      #expect(watch.wait(0).isEmpty)
      waitToRead(one)
      #expect(awaited == [one])
    }
  }

  @Test("a writable socket is reported for as long as libcurl waits to write") func writing() throws {
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

  @Test("a new socket that is not waited for has failed, even if its number is used again")
  func failures() throws {
    try withSocketPair { one, _ in
      sockets.add(one)
      waitToRead(one)
      #expect(!sockets.takeFailures())
      sockets.add(one)
      sockets.add(one)
      waitToRead(one)
      #expect(sockets.takeFailures())
      #expect(!sockets.takeFailures())
      sockets.failToOpen()
      #expect(sockets.takeFailures())
      #expect(!sockets.takeFailures())
    }
  }

  @Test("a new socket with the number of one that was closed while idle is waited for") func numbers() throws
  {
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
