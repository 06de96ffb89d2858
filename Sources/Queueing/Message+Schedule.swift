internal import Supporting

/// What a message says about when and to which device it is to be sent.
extension Message {
  /// The header with the time at which the message is to be sent, in the format of RFC 3339.
  package static let sendAtHeader = "send-at"
  /// The header with the token of the device.
  package static let deviceTokenHeader = "device-token"

  /// The header `send-at` in milliseconds since 1970. Nil if there is none.
  package var sendAt: Int64? {
    get throws(Rejection) {
      guard let text = header(anyCase: Self.sendAtHeader) else { return nil }
      if let due = WallClock.milliseconds(of: text) { return due }
      throw Rejection(
        "send-at-invalid",
        detail:
          "the header send-at is no date and time: write it like 2026-12-24T18:00:00Z (RFC 3339), not '\(text.prefix(64))'"
      )
    }
  }

  /// The device and the app, whose messages keep their order. Nil if the message names no device.
  package var line: String? {
    guard let token = header(anyCase: Self.deviceTokenHeader) else { return nil }
    return "\(token.lowercased()) \(header(anyCase: "apns-topic") ?? "")"
  }

  /// The last value of a header, whatever the case of its name (RFC 9110 section 5.1).
  package func header(anyCase name: String) -> String? {
    headers.last {
      $0.name.utf8.elementsEqual(name.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }?.value
  }
}
