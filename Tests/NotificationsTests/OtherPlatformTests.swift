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
      (
        #"{"audience":"all","device_types":["android","web"],"notification":{"alert":"a"}}"#, "Airship", ""
      ),
      (
        #"[{"audience":{"tag":"a"},"device_types":["amazon"],"notification":{"alert":"a"}}]"#, "Airship", "0"
      ),
      (#"{"push":{"audience":{},"notification":{},"device_types":"sms"}}"#, "Airship", "push"),
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
        == "it has no aps: the message of gorush at notifications.0 is for a platform other than Apple's")
    #expect(
      "\(EnvelopeError.otherPlatform("SNS", place: ""))"
        == "it has no aps: the message of SNS is for a platform other than Apple's")
  }

  @Test(
    "in the form of FCM's legacy API are told what form FCM takes today",
    arguments: [
      (#"{"to":"t","notification":{"title":"a"},"mutable_content":true}"#, ""),
      (#"{"registration_ids":["t"],"data":{"image":"https://a/b.jpg"}}"#, ""),
      (#"{"job":{"to":"/topics/a","notification":{"title":"a"}}}"#, "job"),
    ])
  func legacy(text: String, place: String) throws {
    let error = EnvelopeError.legacyFCM(place: place)
    #expect(try PushMessage(Array(text.utf8)).problem == error)
    #expect(error.isNothing)
    #expect("\(error)".hasSuffix("has the form of FCM's legacy API, which Google shut down in 2024"))
    #expect(error.advice.hasPrefix("write it for FCM's HTTP v1 API: "))
  }

  @Test(
    "do not count if there is a payload too",
    arguments: [
      #"{"notifications":[{"platform":2,"title":"a"},{"platform":1,"title":"a"}]}"#,
      #"{"audience":"all","device_types":"all","notification":{}}"#,
      #"{"audience":"all","device_types":["android","ios"],"notification":{}}"#,
      #"{"audience":"all","notification":{}}"#,
      #"[{"audience":"all","device_types":["web"],"notification":{}},{"audience":"all","device_types":["ios"],"notification":{}}]"#,
      #"{"GCM":"{}","APNS":"{}"}"#, #"{"GCM":"{}","payload":{"aps":{}}}"#,
    ])
  func both(text: String) throws { #expect(try PushMessage(Array(text.utf8)).problem == nil) }
}
