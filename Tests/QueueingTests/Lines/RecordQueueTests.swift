@testable import Queueing
import TestSupport
import Testing

@Suite("LineQueue: records", .timeLimit(.minutes(5)))
struct RecordQueueTests {
  @Test("a line that is not a record becomes a message with the reason, and the others come as they are")
  func lines() async throws {
    try await withLineQueue(.records) { queue, ends in
      try ends.write(
        "{\"id\":\"a\",\"headers\":{\"n\":\"1\"},\"body\":{}}\n\n{\"aps\":{}}\n{\"body\":\"x\"}\r\n")
      let messages = try #require(try await queue.receive(10, waitingUpTo: .zero)).map(\.message)
      #expect(messages.map(\.body) == ["{}", "{\"aps\":{}}", "x"].map { Array($0.utf8) })
      #expect(messages[0] == Message(id: "a", body: Array("{}".utf8), headers: [Header("n", "1")]))
      #expect(
        messages.map(\.fault) == [nil, "line 3 is not a record: \(RecordError.unknownMember("aps"))", nil])
      try await queue.publish(
        messages.prefix(2).map { Message(id: "b", body: $0.body, headers: $0.headers.suffix(0)) })
      #expect(
        try ends.read()
          == "{\"id\":\"b\",\"headers\":{},\"body\":{}}\n{\"id\":\"b\",\"headers\":{},\"body\":{\"aps\":{}}}\n"
      )
    }
  }
}
