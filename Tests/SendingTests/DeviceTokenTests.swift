import Queueing
import Supporting
import Testing

@testable import Sending

@Suite struct DeviceTokenTests {
  static let bytes = (0..<32).map { UInt8($0 * 8) }
  static let hexadecimal = String(hexadecimal: bytes.span)

  @Test(arguments: [
    hexadecimal, hexadecimal.uppercased(), "AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8Pg=",
    "AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8Pg",
  ]) func spellingsStandForTheSameToken(text: String) throws {
    #expect(try DeviceToken.read(text) == Self.hexadecimal)
  }

  @Test(arguments: [
    "//////////////////////////////////////////8=", "__________________________________________8",
  ])
  func bothAlphabetsAreRead(text: String) throws {
    #expect(try DeviceToken.read(text) == String(repeating: "f", count: 64))
  }

  @Test(arguments: [2, 64, 160, 200, 2_000]) func anyLengthIsTaken(digits: Int) throws {
    let text = String(repeating: "a", count: digits)
    #expect(try DeviceToken.read(text) == text)
  }

  @Test(
    arguments: [
      (nil, "it has no header device-token: "), ("abc", "it has a device token of 3 digits: "),
      ("DEVICE_TOKEN", "it has a wrong device token (“DEVICE_TOKEN…”): write its bytes in hexadecimal"),
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "it has a wrong device token"),
      ("<740f4707 bebcf74f>", "it has a wrong device token (“<740f4707 bebcf74f>…”): write only its digits"),
      (
        "{length = 32, bytes = 0x740f4707 bebcf74f ... }",
        "it has a wrong device token (“{length = 32, bytes = 0x…”): this is how iOS 13"
      ),
      (
        "cXyZ:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
        "it has a wrong device token (“cXyZ:APA91bHun4MxP5egoKM…”): tokens of Firebase"
      ),
      (
        "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]",
        "it has a wrong device token (“ExponentPushToken[xxxxxx…”): tokens of Expo"
      ),
      ("AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo8P1", "it has a wrong device token"),
      ("\u{202E}\n/../3/device", #"it has a wrong device token (“\u{202E}\n/../3/device…”): "#),
      (String(repeating: "aa", count: 1_001), "it has a device token of more than 1000 bytes"),
    ] as [(String?, String)]) func wrongTokensAreRejected(text: String?, detail: String)
  {
    do throws(Rejection) {
      _ = try DeviceToken.read(text)
      Issue.record("it was taken")
    } catch {
      #expect(error.reason == "token-invalid")
      #expect(error.detail.hasPrefix(detail), "\(error.detail)")
    }
  }
}
