import Foundation
import Testing

@testable import NotificationExtension

@Suite("The mark in a payload") struct QueueMarkTests {
  private static func mark(_ json: String) throws -> QueueMark? {
    let payload = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return QueueMark(userInfo: try #require(payload))
  }

  private static let example =
    #"{"q":{"p":17,"e":1764270000,"d":"AbCdEfGh_-0","t":"0123456789abcdefghijkl"}}"#

  @Test("is read") func example() throws {
    let mark = try #require(try Self.mark(Self.example))
    #expect(mark.position == 17 && mark.epoch == 1_764_270_000)
    #expect(mark.deviceHash == "AbCdEfGh_-0" && mark.ticket == "0123456789abcdefghijkl" && !mark.isResent)
  }

  @Test(
    "says whether the push was sent again",
    arguments: [("1", true), ("0", false), ("2", false), (#""1""#, false)])
  func resent(value: String, isResent: Bool) throws {
    let mark = try Self.mark(Self.example.replacing(#""q":{"#, with: #""q":{"r":\#(value),"#))
    #expect(mark?.isResent == isResent)
  }

  @Test(
    "may have any number that JSON keeps exactly",
    arguments: [("1", 1), ("17.0", 17), ("1e3", 1_000), ("9007199254740991", 1 << 53 - 1)]
      as [(String, UInt64)])
  func numbers(spelling: String, position: UInt64) throws {
    #expect(try Self.mark(Self.example.replacing("17,", with: "\(spelling),"))?.position == position)
  }

  @Test("may have numbers of any type") func types() {
    let numbers: [Any] = [5, UInt64(5), Int8(5), 5.0, NSNumber(value: 5), NSNumber(value: 5.0)]
    for number in numbers {
      let q: [String: Any] = ["p": number, "e": number, "d": "d", "t": "t"]
      #expect(QueueMark(userInfo: ["q": q])?.position == 5, "\(type(of: number))")
    }
  }

  @Test(
    "is none if a member is missing or wrong",
    arguments: [
      ("17,", "0,"), ("17,", "-1,"), ("17,", "1.5,"), ("17,", "9007199254740992,"),
      ("17,", "18446744073709551616,"),
      ("17,", "1e300,"), ("17,", #""17","#), ("17,", "null,"), ("17,", "[17],"), ("1764270000", "-1"),
      ("1764270000", "9007199254740993"), (#""p":17,"#, ""), ("AbCdEfGh_-0", ""), ("AbCdEfGh_-0", "AbC+"),
      ("0123456789abcdefghijkl", ""), ("0123456789abcdefghijkl", #"0\r\nX: y"#), ("0123456789", "é"),
      (#"{"q":{"#, #"{"r":{"#), (#""q":{"#, #""q":[{"#),
    ])
  func broken(part: String, wrong: String) throws {
    var json = Self.example.replacing(part, with: wrong)
    if wrong.hasSuffix("[{") { json = json.replacing("}}", with: "}]}") }
    #expect(try Self.mark(json) == nil, "\(json)")
  }

  @Test("names the device by a hash") func hash() {
    // printf 'com.example.app\0006F1C' | openssl sha256 -binary | head -c 8 | base64
    #expect(DeviceHash.hash(app: "com.example.app", device: "6F1C") == "TlzzoeOCYiQ")
  }
}
