import Testing

@testable import Sending

@Suite struct PushAnswerTests {
  @Test func bodyIsRead() {
    let answer = PushAnswer(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1454402113000}"#.utf8))
    #expect(answer.reason == "Unregistered")
    #expect(answer.timestamp == 1_454_402_113_000)
  }
}
