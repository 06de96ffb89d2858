import Supporting
import TestSupport

@testable import Decrypting

extension [UInt8] {
  /// Decodes hexadecimal digits.
  init(hex: String) throws { self = try BaseEncoding.base16.decode(hex) }

  /// Decodes base64url.
  init(base64URL: String) throws { self = try BaseEncoding.base64URL.decode(base64URL) }

  /// The bytes with one bit flipped.
  func flipping(bit: Int) -> [UInt8] {
    var copy = self
    copy[bit / 8] ^= 1 << (bit % 8)
    return copy
  }

  /// The same bytes on every run.
  static func pseudorandom(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}

extension Secret {
  convenience init(hex: String) throws(DecryptingError) { try self.init(text: hex.utf8.span, in: .base16) }

  convenience init(bytes: [UInt8]) throws(DecryptingError) { try self.init(bytes.span) }

  var bytes: [UInt8] { withSpan { span in span.indices.map { span[$0] } } }
}
