import Queueing
import Testing

@testable import Sending

@Suite struct PushAnswerTests {
  static func answer(_ status: Int, _ reason: String? = nil) -> PushAnswer {
    PushAnswer(status: status, body: Array((reason.map { #"{"reason":"\#($0)"}"# } ?? "").utf8))
  }

  @Test func everythingIsRead() {
    let body = Array(#"{"reason":"Unregistered","timestamp":1454402113000}"#.utf8)
    let answer = PushAnswer(status: 410, body: body)
    #expect(answer.status == 410)
    #expect(answer.reason == "Unregistered")
    #expect(answer.timestamp == 1_454_402_113_000)
  }

  @Test(arguments: [
    "", "<html>", "[]", #"{"reason":5,"timestamp":-1}"#, #"{"reason":"a b","timestamp":"1"}"#,
    #"{"reason":""}"#,
    #"{"reason":"\n","timestamp":1e99}"#, #"{"reason":"\#(String(repeating: "a", count: 65))"}"#,
    "{\"reason\":\"a\"\(String(repeating: " ", count: 5_000))}",
  ]) func otherBodiesCountAsEmpty(body: String) {
    let answer = PushAnswer(status: 400, body: Array(body.utf8))
    #expect(answer == PushAnswer(status: 400))
  }

  @Test(
    arguments: [
      (200, nil, .sent), (410, "Unregistered", .tokenDead), (410, "ExpiredToken", .tokenDead),
      (410, nil, .tokenDead),
      (400, "BadDeviceToken", .tokenWrong), (400, "DeviceTokenNotForTopic", .tokenWrong),
      (403, "InvalidProviderToken", .credentials), (403, "BadEnvironmentKeyInToken", .credentials),
      (403, "BadCertificate", .credentials), (403, "BadCertificateEnvironment", .credentials),
      (403, "MissingProviderToken", .credentials), (403, "BadEnvironmentKeyIdInToken", .credentials),
      (403, "Forbidden", .forbidden), (403, "New", .forbidden), (403, nil, .forbidden),
      (403, "TopicDisallowed", .rejected), (403, "BadTopic", .rejected),
      (403, "DeviceTokenNotForTopic", .tokenWrong), (403, "UnrelatedKeyIdInToken", .shutdown),
      (403, "ExpiredProviderToken", .tokenExpired),
      (429, "TooManyProviderTokenUpdates", .tooManyTokens), (429, "TooManyRequests", .deviceTooFast),
      (429, nil, .deviceTooFast), (500, "InternalServerError", .later), (503, "ServiceUnavailable", .later),
      (503, "Shutdown", .shutdown), (400, "IdleTimeout", .idle), (400, "New", .rejected),
      (404, "BadPath", .rejected),
      (405, nil, .rejected), (413, "PayloadTooLarge", .rejected), (418, nil, .rejected), (599, nil, .later),
      (302, nil, .later), (0, nil, .later), (408, nil, .later),
    ] as [(Int, String?, AnswerClass)]) func classIsByReasonThenByStatus(
      status: Int, reason: String?, kind: AnswerClass
    )
  {
    #expect(Self.answer(status, reason).kind == kind)
  }

  @Test(arguments: [
    "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DuplicateHeaders",
    "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed",
  ]) func wrongPushesAreFinal(reason: String) {
    #expect(Self.answer(400, reason).kind == .rejected)
  }

  @Test func rejectionTellsWhatToDo() throws {
    let request = try PushRequestTests.request([("apns-id", "123e4567-e89b-12d3-a456-4266554400a0")])
    #expect(
      Self.answer(400, "BadTopic").rejection(request)
        == Rejection(
          "apns-rejected",
          detail:
            "APNs answered 400 BadTopic to push 123e4567-e89b-12d3-a456-4266554400a0 for device 0a1b0a1b… and topic com.example.app: check apns-topic: it is the app's bundle id",
          headers: [Header("apns-status", "400"), Header("apns-reason", "BadTopic")]))
    let dead = PushAnswer(status: 410, body: Array(#"{"reason":"ExpiredToken","timestamp":7}"#.utf8))
    #expect(dead.rejection(request).reason == "token-dead")
    #expect(
      dead.rejection(request).headers == [
        Header("apns-status", "410"), Header("apns-reason", "ExpiredToken"), Header("apns-timestamp", "7"),
      ])
    #expect(Self.answer(400, "BadDeviceToken").rejection(request).reason == "token-wrong")
  }
}
