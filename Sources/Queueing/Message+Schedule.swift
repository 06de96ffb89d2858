internal import Supporting

/// The headers that say when a message is sent, and to which device.
extension Message {
  /// The header with the time to send the message, in the format of RFC 3339.
  package static let sendAtHeader = "send-at"
  package static let deviceTokenHeader = "device-token"
  /// The header with the app's own name for the device, such as a UUID. Pushes that have it are numbered.
  package static let deviceIDHeader = "device-id"

  /// The header `send-at` in milliseconds since 1970. Nil if there is none, or if it is empty: many senders write
  /// an option that is not set as an empty value.
  package var sendAt: Int64? {
    get throws(Rejection) {
      guard let text = header(anyCase: Self.sendAtHeader)?.trimmingSpaces, !text.isEmpty else { return nil }
      if let due = WallClock.milliseconds(of: text) { return due }
      throw Rejection(
        "send-at-invalid",
        detail:
          "the header send-at is not a date and time: write it like 2026-12-24T18:00:00Z (RFC 3339), not '\(text.prefix(64))'"
      )
    }
  }

  /// The device whose messages keep their order: its token in lower-case hexadecimal, which belongs to one
  /// app. If the header is not a token, its text. Nil if the message names no device.
  package var line: String? {
    guard let text = header(anyCase: Self.deviceTokenHeader) else { return nil }
    let token = text.trimmingSpaces
    return (try? DeviceToken.read(token)) ?? token
  }

  /// The last value of a header, whatever the case of its name (RFC 9110 section 5.1).
  /// - Parameter name: in lower case.
  package func header(anyCase name: String) -> String? {
    headers.last { $0.name.isSameASCII(as: name) }?.value
  }
}
