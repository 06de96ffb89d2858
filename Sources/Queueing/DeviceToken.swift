internal import Supporting

/// Reads device tokens, which apps hand out in several spellings.
package enum DeviceToken {
  /// The shortest token in Base64. A shorter text is more likely a name or a placeholder.
  private static let minimumBytes = 32
  /// APNs documents no length. Current tokens have 32 to 100 bytes.
  private static let maximumBytes = 1_000

  /// - Parameter text: hexadecimal, or Base64 in either alphabet, with or without padding.
  /// - Returns: lower-case hexadecimal.
  package static func read(_ text: String?) throws(Rejection) -> String {
    guard let text else {
      throw invalid("has no header device-token", "add it, with the token of the device in hexadecimal")
    }
    let digits = text.sum { ($0 &- UInt8(ascii: "0") < 10 ? 1 : 0) | ($0 &- UInt8(ascii: "a") < 6 ? 1 : 0) }
    let isLowerCase = digits == text.utf8.count
    if isLowerCase || text.allBytes({ $0.isASCIIDigit || 0x61...0x66 ~= $0 | 0x20 }) {
      guard text.utf8.count.isMultiple(of: 2) else {
        throw invalid(
          "has a device token of \(text.utf8.count) digits", "the number is even, so a part is missing")
      }
      guard text.utf8.count <= maximumBytes * 2 else { throw tooLong }
      return isLowerCase ? text : text.lowercased()
    }
    guard let bytes = BaseEncoding.anyBase64.bytes(of: text.utf8.span), bytes.count >= minimumBytes else {
      throw wrong(text)
    }
    guard bytes.count <= maximumBytes else { throw tooLong }
    return String(hexadecimal: bytes.span)
  }

  private static func wrong(_ text: String) -> Rejection {
    let advice =
      switch true {
      case text.utf8.contains(UInt8(ascii: ":")):
        "tokens of Firebase have a colon: take the one that the app gets from iOS (didRegisterForRemoteNotificationsWithDeviceToken)"
      case text.hasPrefix("ExponentPushToken"), text.hasPrefix("ExpoPushToken"):
        "tokens of Expo work with Expo only: take the one of getDevicePushTokenAsync"
      case text.hasPrefix("{"):
        "this is how iOS 13 and later describe the bytes, with a part left out: have the app send them in hexadecimal"
      case text.hasPrefix("<"): "write only its digits, without < > and spaces"
      default: "write its bytes in hexadecimal, two digits each, or in Base64"
      }
    return invalid("has a wrong device token (“\(String(text.prefix(24)).printable)…”)", advice)
  }

  private static var tooLong: Rejection {
    invalid("has a device token of more than \(maximumBytes) bytes", "check what the app sends")
  }

  private static func invalid(_ fault: String, _ right: String) -> Rejection {
    Rejection("token-invalid", detail: "it \(fault): \(right)")
  }
}
