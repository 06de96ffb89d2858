internal import COpenSSL

/// What every use of OpenSSL here has in common.
enum OpenSSL {
  /// - Throws: `DecryptingError.failed` unless `status` is 1. What OpenSSL noted about it is dropped: TLS
  ///   connections on the same thread read the same notes.
  static func check(_ status: Int32) throws(DecryptingError) {
    guard status == 1 else {
      ERR_clear_error()
      throw .failed
    }
  }

  /// - Throws: `DecryptingError.failed` for nil, as `check` does.
  static func check(_ pointer: OpaquePointer?) throws(DecryptingError) -> OpaquePointer {
    guard let pointer = unsafe pointer else {
      ERR_clear_error()
      throw .failed
    }
    return unsafe pointer
  }

  /// - Throws: `DecryptingError.failed` for nil, as `check` does.
  static func check<Value: ~Copyable>(_ value: consuming Value?) throws(DecryptingError) -> Value {
    guard let value else {
      ERR_clear_error()
      throw .failed
    }
    return value
  }

  /// Whether OpenSSL has noted a failure on this thread that nobody dropped.
  static var hasNotes: Bool { ERR_peek_error() != 0 }

  /// In a time that depends on the lengths alone.
  static func areEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    guard !one.isEmpty else { return true }
    return unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        unsafe CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
      }
    }
  }

  /// As many octets that nobody foresees, for salts and initialisation vectors.
  static func randomBytes(_ count: Int) throws(DecryptingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = unsafe bytes.withUnsafeMutableBufferPointer {
      unsafe RAND_bytes($0.baseAddress, Int32(clamping: $0.count))
    }
    try check(status)
    return bytes
  }
}
