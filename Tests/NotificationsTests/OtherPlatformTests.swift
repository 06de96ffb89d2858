import Testing

@testable import Notifications

@Suite("Messages for other platforms than Apple's")
struct OtherPlatformTests {
  @Test(
    "are named, wherever an envelope would be found",
    arguments: [
      (#"{"notifications":[{"tokens":["t"],"platform":2,"message":"a"}]}"#, "gorush", "notifications.0"),
      (
        #"{"notifications":[{"platform":3,"data":{"image":"https://a/b.jpg"}}]}"#, "gorush", "notifications.0"
      ),
      (
        #"{"data":{"notifications":[{},{"platform":2,"title":"a"}]}}"#, "gorush", "data.notifications.1"
      ),
      (#"{"default":"a","GCM":"{\"notification\":{\"title\":\"a\"}}"}"#, "SNS", ""),
      (#"{"Message":"{\"default\":\"a\",\"ADM\":\"{}\"}"}"#, "SNS", "Message"),
    ])
  func others(text: String, service: String, place: String) throws {
    let error = EnvelopeError.otherPlatform(service, place: place)
    #expect(try PushMessage(Array(text.utf8)).problem == error)
    #expect(error.isNothing)
    #expect(error.advice == "leave it as it is: only messages for APNs can be enriched")
  }

  @Test("are named in plain words") func words() {
    #expect(
      "\(EnvelopeError.otherPlatform("gorush", place: "notifications.0"))"
        == "it has no aps: the message of gorush at notifications.0 is for another platform than Apple's")
    #expect(
      "\(EnvelopeError.otherPlatform("SNS", place: ""))"
        == "it has no aps: the message of SNS is for another platform than Apple's")
  }

  @Test(
    "do not count if there is a payload too",
    arguments: [
      #"{"notifications":[{"platform":2,"title":"a"},{"platform":1,"title":"a"}]}"#,
      #"{"GCM":"{}","APNS":"{}"}"#, #"{"GCM":"{}","payload":{"aps":{}}}"#,
    ])
  func both(text: String) throws { #expect(try PushMessage(Array(text.utf8)).problem == nil) }
}
