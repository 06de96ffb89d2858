internal import Supporting

/// Message ids that fit into AMQP's short strings.
enum AMQPIdentifier {
  /// Bytes of a short string (AMQP 0-9-1 section 4.2.5.3).
  static let maximumLength = 255

  /// `id` itself if it is short enough, else its SHA-256.
  static func fitting(_ id: String) -> String {
    id.utf8.count <= maximumLength ? id : digest(Array(id.utf8))
  }

  /// SHA-256 in hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String {
    let digest = SHA256.digest(of: bytes.span) ?? [UInt8](repeating: 0, count: SHA256.length)
    return String(hexadecimal: digest.span)
  }
}
