import Notifications
import Queueing
import TestSupport
import Testing

@testable import Working

@Suite("What a message is sent as")
struct PushTypeTests {
  @Test(
    "the push type is read from a header, ignoring the case of its name and value",
    arguments: [
      ([Header("apns-push-type", "voip")], .voip), ([Header("APNS-Push-Type", "Background")], .background),
      ([Header("Apns-Push-Type", "alert"), Header("apns-push-type", "VOIP")], .voip),
      ([Header("apns-push-type", "voip"), Header("apns_push_type", "alert")], .voip),
      ([Header("apns-push-type", "call")], nil), ([Header("apns-push-type", "")], nil),
      // U+212A (the Kelvin sign), which lowercases to k.
      ([Header("apns-push-type", "pushtotal\u{212A}")], nil), ([Header("apns\u{0D}push-type", "voip")], nil),
      ([], nil),
    ] as [([Header], PushType?)])
  func header(headers: [Header], type: PushType?) {
    #expect(Message(body: [], headers: headers).pushType == type)
  }

  @Test("the worker treats a message according to its push type") func worker() async throws {
    try await withWorkplace(.sqlite) { place in
      let payload =
        #"{"aps":{"alert":"Hi","mutable-content":1},"media":{"url":"https://media.example/a.jpg"}}"#
      let put = try await PushEnricher.run(
        ["enqueue", "--to", place.url("incoming"), "--header", "Apns-Push-Type=background"],
        input: Array(payload.utf8))
      #expect(put.termination == .exited(0))
      let work = try await place.work(["--until-empty"])
      #expect(work.termination == .exited(0))
      #expect(try await place.contents("enriched").map { $0.header("enrich-reason") } == ["not-mutable"])
    }
  }
}
