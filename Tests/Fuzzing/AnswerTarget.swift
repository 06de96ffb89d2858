@testable import Queueing
@testable import Sending

/// Answers of APNs: two bytes of status, then the body. Everything gets a class, and a text that can be shown.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  let status = input.bytes.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
  let answer = PushAnswer(status: status, apnsID: input.text, body: Array(input.bytes.dropFirst(2)))
  Input.require((answer.kind == .sent) == (status == 200), "the class does not fit the status")
  for text in [answer.reason, answer.apnsID].compactMap({ $0 }) {
    Input.require((1...64).contains(text.utf8.count), "a text is too long for a log")
    Input.require(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a text cannot be a header")
  }
  let message = Message(
    id: "m", body: Array(#"{"aps":{}}"#.utf8),
    headers: [Header("device-token", "0a"), Header("apns-topic", "a")])
  guard let request = try? PushRequest(message, topic: nil, now: 0) else { return 0 }
  Input.require(!answer.rejection(request).detail.isEmpty, "a rejection says nothing")
  return 0
}
