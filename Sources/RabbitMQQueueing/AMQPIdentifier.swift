internal import Supporting

/// Message ids that fit into AMQP's short strings.
enum AMQPIdentifier {
  /// Bytes of a short string (AMQP 0-9-1 section 4.2.5.3).
  static let maximumLength = 255

  /// `id` itself if it is short enough, else its SHA-256.
  static func fitting(_ id: String) -> String {
    id.utf8.count <= maximumLength ? id : digest(Array(id.utf8))
  }

  /// SHA-256 in hexadecimal digits; at random where there is no memory for it: two messages with one id would
  /// be taken for one.
  static func digest(_ bytes: [UInt8]) -> String {
    let digest =
      SHA256.digest(of: bytes.span) ?? (0..<SHA256.length).map { _ in UInt8.random(in: 0...255) }
    return String(hexadecimal: digest.span)
  }
}
