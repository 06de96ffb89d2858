import Notifications
import Testing

@Suite struct EligibilityTests {
  static func verdict(_ aps: String, _ pushType: PushType? = nil) throws -> Ineligibility? {
    try Payload(Array("{\"aps\":\(aps)}".utf8)).ineligibility(pushType: pushType)
  }

  @Test(
    arguments: [
      ("1", nil), ("true", nil), ("1.0", nil), ("10e-1", nil), ("0", .notMutable), ("2", .notMutable),
      ("false", .notMutable), ("\"1\"", .notMutable), ("null", .notMutable), ("[1]", .notMutable),
      ("0,\"mutable-content\":1", nil),
      ("1,\"mutable-content\":0", .notMutable),
    ] as [(String, Ineligibility?)])
  func mutableContent(spelling: String, verdict: Ineligibility?) throws {
    #expect(try Self.verdict(#"{"alert":"x","mutable-content":\#(spelling)}"#) == verdict)
  }

  @Test(
    arguments: [
      (#""x""#, nil), (#""""#, .noAlert), ("{}", .noAlert), ("[]", .noAlert), ("null", .noAlert),
      ("1", .noAlert),
      (#"{"title":"x"}"#, nil), (#"{"subtitle":"x"}"#, nil), (#"{"body":"x"}"#, nil),
      (#"{"title":"","body":""}"#, .noAlert), (#"{"title":"","body":"x"}"#, nil), (#"{"body":1}"#, .noAlert),
      (#"{"loc-key":"K"}"#, nil), (#"{"title-loc-key":"K"}"#, nil), (#"{"subtitle-loc-key":"K"}"#, nil),
      (#"{"loc-args":["K"],"launch-image":"x"}"#, .noAlert), (#""x","alert":"""#, .noAlert),
    ] as [(String, Ineligibility?)])
  func alerts(spelling: String, verdict: Ineligibility?) throws {
    #expect(try Self.verdict(#"{"alert":\#(spelling),"mutable-content":1}"#) == verdict)
  }

  @Test func pushTypes() throws {
    let aps = #"{"alert":"x","mutable-content":1,"content-available":1}"#
    #expect(try Self.verdict(aps, .background) == .background)
    #expect(try Self.verdict(aps, .alert) == nil)
    #expect(try Self.verdict(aps) == nil)
  }

  @Test(arguments: ["{}", #"{"aps":null}"#, #"{"aps":[]}"#, #"{"mutable-content":1,"alert":"x"}"#])
  func withoutAps(text: String) throws {
    #expect(try Payload(Array(text.utf8)).ineligibility(pushType: nil) == .notMutable)
  }
}
