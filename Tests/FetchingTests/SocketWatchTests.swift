import Glibc
import Supporting
import Testing

@testable import Fetching

/// The socket events that the transfer loop waits for.
@Suite("Waiting for sockets")
struct SocketWatchTests {
  private struct Seen: Equatable {
    let descriptor: Int32
    let reads: Bool
    let writes: Bool
  }

  private func seen(_ sockets: SocketWatch) -> [Seen] {
    sockets.wait(0).map { Seen(descriptor: $0.descriptor, reads: $0.reads, writes: $0.writes) }
  }

  @Test("reports what can be read and written, for as long as it is asked to") func readiness() throws {
    let sockets = try SocketWatch()
    try withSocketPair { one, other in
      #expect(sockets.watch(one, reads: true, writes: false))
      #expect(seen(sockets).isEmpty)
      #expect(sockets.watch(one, reads: true, writes: true))
      #expect(seen(sockets) == [Seen(descriptor: one, reads: false, writes: true)])
      #expect(unsafe write(other, "a", 1) == 1)
      #expect(seen(sockets) == [Seen(descriptor: one, reads: true, writes: true)])
      #expect(sockets.watch(one, reads: true, writes: false))
      // Reports it at every call, for as long as it is there.
      for _ in 0..<2 { #expect(seen(sockets) == [Seen(descriptor: one, reads: true, writes: false)]) }
      #expect(sockets.watch(one, reads: false, writes: false))
      #expect(seen(sockets).isEmpty)
    }
  }

  @Test("reports a closed connection as readable") func hangUp() throws {
    let sockets = try SocketWatch()
    try withSocketPair { one, other in
      #expect(sockets.watch(one, reads: false, writes: true))
      #expect(shutdown(other, Int32(SHUT_RDWR)) == 0)
      #expect(seen(sockets) == [Seen(descriptor: one, reads: true, writes: true)])
    }
  }

  @Test("forgets a descriptor that is closed, even if its number is reused") func closing() throws {
    let sockets = try SocketWatch()
    for _ in 0..<2 {
      try withSocketPair { one, other in
        #expect(sockets.watch(one, reads: true, writes: false))
        #expect(unsafe write(other, "a", 1) == 1)
        #expect(seen(sockets) == [Seen(descriptor: one, reads: true, writes: false)])
      }
      #expect(seen(sockets).isEmpty)
    }
  }

  @Test("does not watch an invalid descriptor") func none() throws {
    #expect(try !SocketWatch().watch(-1, reads: true, writes: false))
  }
}
