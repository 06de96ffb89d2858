internal import Queueing
internal import Supporting

/// The headers of a message that concern APNs, in the order of a request.
enum RequestHeader: Int, CaseIterable {
  case topic, pushType, id, priority, expiration, collapseID
  /// These two are only for this program.
  case device, deviceID

  private static let all = allCases

  var name: String {
    switch self {
    case .topic: "apns-topic"
    case .pushType: "apns-push-type"
    case .id: "apns-id"
    case .priority: "apns-priority"
    case .expiration: "apns-expiration"
    case .collapseID: "apns-collapse-id"
    case .device: "device-token"
    case .deviceID: Message.deviceIDHeader
    }
  }

  /// Senders copy headers from their HTTP request, so case does not matter (RFC 9110 section 5.1).
  init?(_ name: String) {
    // Most are spelled exactly like the name.
    let found =
      Self.all.first { $0.name.utf8.count == name.utf8.count && $0.name == name }
      ?? Self.all.first { name.isSameASCII(as: $0.name) }
    guard let found else { return nil }
    self = found
  }
}

/// The values of these headers in a message. If a header appears twice, the last one counts.
struct RequestHeaders {
  /// In bytes. Enough for all values that APNs takes. Only device tokens can be long: 2,000
  /// hexadecimal digits.
  private static let maximumValue = 2_048

  private var values = InlineArray<8, String?>(repeating: nil)

  init(_ message: Message) throws(Rejection) {
    for header in message.headers {
      guard let known = RequestHeader(header.name) else { continue }
      values[known.rawValue] = try Self.value(header.value, of: known)
    }
  }

  subscript(header: RequestHeader) -> String? { values[header.rawValue] }

  /// The value without spaces around it. Nil if it is empty: many senders write an option that is
  /// not set as an empty value.
  private static func value(_ text: String, of header: RequestHeader) throws(Rejection) -> String? {
    let value = text.trimmingSpaces
    guard value.utf8.count <= maximumValue else {
      throw .header(header, "has \(value.utf8.count) bytes", right: "APNs accepts no value this long")
    }
    // HTTP/2 does not allow control characters (RFC 9113 section 8.2.1).
    guard value.sum(of: { ($0 < 0x20 ? 1 : 0) | ($0 == 0x7F ? 1 : 0) }) == 0 else {
      throw .header(header, "has a control character in it", right: "write a single line of text", value)
    }
    return value.isEmpty ? nil : value
  }
}

extension Rejection {
  /// - Parameters:
  ///   - fault: what is wrong, after the name of the header.
  ///   - right: what would be right.
  ///   - value: shown in part.
  static func header(
    _ header: RequestHeader, _ fault: String, right: String, _ value: String? = nil
  ) -> Rejection {
    let shown = value.map { " (“\(String($0.prefix(40)).printable)\($0.count > 40 ? "…" : "")”)" } ?? ""
    return Rejection("header-invalid", detail: "its header \(header.name) \(fault)\(shown): \(right)")
  }
}
