internal import COpenSSL

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
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest.map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0\(digits)" : digits
    }.joined()
  }
}
