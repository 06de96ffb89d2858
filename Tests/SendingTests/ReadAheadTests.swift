import Glibc
import Misbehaving
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Sending

/// OpenSSL holds what it has read ahead, and the socket does not tell of it.
@Suite("Answers that were read ahead")
struct ReadAheadTests {
  @Test("if a turn does not read all of them, the next one does without waiting") func manyRecords()
    async throws
  {
    var behaviour = APNsBehaviour("small-records")
    (behaviour.firstStreams, behaviour.recordLength) = (1_000, 1)
    try await withMock(behaviour) { mock, file, key in
      let token = try ProviderToken(file: key, keyID: mock.key.id, teamID: mock.key.team)
      let target = PushTarget(
        host: mock.host, port: mock.port, topic: nil, connections: 1, rate: nil, certificateFile: file)
      let sockets = try SocketWatch()
      let connection = PushConnection(id: 1, target, .short, sockets, at: .now)
      defer { connection.end(.replaced, "") }
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let context = try TLSContext(trusting: file, .token(token))
      connection.connect(to: target.lookUp(mock.host, mock.port), with: context, at: .now)
      while connection.room < 20 {
        try #require(!sockets.wait(30_000).isEmpty, "\(connection.detail)")
        connection.act(&buffer, at: .now)
        connection.flush()
      }
      let requests = try Message.pushes(20).map { try PushRequest($0, topic: nil, now: 0) }
      let batch = PushBatch(requests)
      for index in requests.indices {
        let push = PushStream(batch, index)
        push.authorization = try token.authorization()
        try #require(connection.open(push, at: .now))
      }
      connection.flush()
      // An answer takes some 40 records of 23 bytes each.
      var waiting: Int32 = 0
      while waiting < 8_192 {
        try await Task.sleep(for: .milliseconds(10))
        try #require(unsafe ioctl(connection.descriptor, UInt(FIONREAD), &waiting) == 0)
      }
      connection.act(&buffer, at: .now)
      #expect(connection.hasUnread)
      var answers = 0
      for _ in 0..<1_000 where answers < 20 {
        if !connection.hasUnread { _ = sockets.wait(30_000) }
        connection.act(&buffer, at: .now)
        for case .closed(let push, 0) in connection.session?.takeEvents() ?? [] where push.status == 200 {
          answers += 1
        }
      }
      #expect(answers == 20)
      #expect(!connection.hasUnread)
    }
  }
}
