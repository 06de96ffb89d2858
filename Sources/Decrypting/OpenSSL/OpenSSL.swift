internal import COpenSSL

/// An OpenSSL object that is freed with its owner.
@safe struct OpenSSLObject: ~Copyable {
  let pointer: OpaquePointer
  private let release: (OpaquePointer?) -> Void

  init(_ pointer: OpaquePointer?, _ release: @escaping (OpaquePointer?) -> Void) throws(DecryptingError) {
    let pointer = try unsafe OpenSSL.check(pointer)
    unsafe self.pointer = pointer
    unsafe self.release = release
  }

  deinit { unsafe release(pointer) }
}

enum OpenSSL {
  /// Throws unless `status` is 1.
  static func check(_ status: Int32) throws(DecryptingError) { _ = try check(status == 1 ? status : nil) }

  /// If nil, throws and clears OpenSSL's error queue, which TLS on the same thread reads too.
  static func check<Value: ~Copyable>(_ value: consuming Value?) throws(DecryptingError) -> Value {
    guard let value else {
      ERR_clear_error()
      throw .failed
    }
    return value
  }

  /// Whether OpenSSL's error queue for this thread still has a failure.
  static var hasNotes: Bool { ERR_peek_error() != 0 }

  /// Takes a time that depends only on the lengths.
  static func areEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        unsafe one.isEmpty || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
      }
    }
  }

  /// Unpredictable bytes for salts and initialization vectors.
  static func randomBytes(_ count: Int) throws(DecryptingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try check(unsafe RAND_bytes(&bytes, Int32(clamping: count)))
    return bytes
  }
}
