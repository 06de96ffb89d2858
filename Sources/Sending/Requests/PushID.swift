internal import Queueing
internal import Supporting

/// The `apns-id` of a push. It is the same each time the message is sent, even after a crash.
enum PushID {
  /// - Parameter text: the id that the sender gave, if any. Kept in lower case.
  /// - Returns: nil if OpenSSL has no memory. APNs then makes one up.
  static func make(_ text: String?, for message: Message) throws(Rejection) -> String? {
    guard let text else { return make(from: message.id) }
    let isUUID =
      text.utf8.count == 36
      && zip(text.utf8, 0..<36).allSatisfy { byte, index in
        [8, 13, 18, 23].contains(index)
          ? byte == UInt8(ascii: "-") : byte.isASCIIDigit || 0x61...0x66 ~= byte | 0x20
      }
    guard isUUID else {
      throw .header(
        .id, "is not a UUID", right: "write one like 123e4567-e89b-12d3-a456-4266554400a0, or leave it out",
        text)
    }
    return text.utf8.contains { 0x41...0x5A ~= $0 } ? text.lowercased() : text
  }

  /// - Returns: nil if OpenSSL has no memory.
  static func make(from text: String) -> String? { SHA256.digest(of: text.utf8Span.span).map { uuid($0) } }

  /// A UUID of version 8, which is for custom methods (RFC 9562 section 5.8).
  private static func uuid(_ digest: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for index in 0..<16 {
        if 4...10 ~= index, index.isMultiple(of: 2) {
          unsafe text[place] = UInt8(ascii: "-")
          place += 1
        }
        var byte = digest[index]
        if index == 6 { byte = byte & 0x0F | 0x80 }
        if index == 8 { byte = byte & 0x3F | 0x80 }
        unsafe text[place] = (byte >> 4).hexadecimalDigit
        unsafe text[place + 1] = (byte & 15).hexadecimalDigit
        place += 2
      }
      return place
    }
  }
}
