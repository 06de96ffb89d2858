internal import COpenSSL

/// One stream through a cipher (`EVP_EncryptInit(3)`). Frees and wipes its key schedule itself.
@safe struct CipherContext: ~Copyable {
  enum Direction: Int32 { case decrypting = 0, encrypting = 1 }

  private let context: OpaquePointer
  private let cipher: Cipher

  /// - Throws: `DecryptingError.failed` for a key or an initialisation vector of another length than the
  ///   cipher's.
  init(
    _ cipher: Cipher, _ direction: Direction, key: Secret, iv: Span<UInt8>
  ) throws(DecryptingError) {
    guard key.count == cipher.keyCount, cipher.ivCounts.contains(iv.count) else { throw .failed }
    let algorithm = try unsafe OpenSSL.check(cipher.algorithm)
    let context = try unsafe OpenSSL.check(EVP_CIPHER_CTX_new())
    do throws(DecryptingError) {
      try unsafe Self.start(context, algorithm, direction, key, iv, setsCount: cipher.hasTag)
    } catch {
      unsafe EVP_CIPHER_CTX_free(context)
      throw error
    }
    unsafe self.context = context
    self.cipher = cipher
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Begins another message with the same key: a third of the price of a new context.
  /// - Parameter iv: as long as the one before.
  mutating func restart(iv: Span<UInt8>) throws(DecryptingError) {
    let status = unsafe iv.withUnsafeBufferPointer {
      unsafe EVP_CipherInit_ex2(context, nil, nil, $0.baseAddress, -1, nil)
    }
    try OpenSSL.check(status)
  }

  /// Has GCM authenticate `bytes`, which are not encrypted. Before the first `update`.
  mutating func authenticate(_ bytes: Span<UInt8>) throws(DecryptingError) {
    guard let count = Int32(exactly: bytes.count) else { throw .failed }
    var length: Int32 = 0
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_CipherUpdate(context, nil, &length, $0.baseAddress, count)
    }
    try OpenSSL.check(status)
  }

  /// Writes what becomes of `input` behind what is in `output`, which must have room for it and a block.
  mutating func update(_ input: Span<UInt8>, into output: inout PlaintextBuffer) throws(DecryptingError) {
    guard let count = Int32(exactly: input.count), output.room >= input.count + Cipher.blockCount else {
      throw .failed
    }
    guard !input.isEmpty else { return }
    try unsafe output.append { (room) throws(DecryptingError) in
      var length: Int32 = 0
      let status = unsafe input.withUnsafeBufferPointer {
        unsafe EVP_CipherUpdate(context, room.baseAddress, &length, $0.baseAddress, count)
      }
      try OpenSSL.check(status)
      return Int(length)
    }
  }

  /// Ends a message that is decrypted with GCM.
  /// - Throws: `DecryptingError.failed` unless `tag` is its whole tag: what came out before must not be used
  ///   then.
  mutating func finish(tag: Span<UInt8>) throws(DecryptingError) {
    guard cipher.hasTag, tag.count == Cipher.tagCount else { throw .failed }
    var tag = unsafe tag.withUnsafeBufferPointer { unsafe Array($0) }
    try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
    var nothing: UInt8 = 0
    var length: Int32 = 0
    try OpenSSL.check(unsafe EVP_CipherFinal_ex(context, &nothing, &length))
  }

  /// Ends a message of the other modes, and writes the rest of it: in CBC the last block, without or with its
  /// padding (PKCS #7).
  mutating func finish(into output: inout PlaintextBuffer) throws(DecryptingError) {
    guard output.room >= Cipher.blockCount else { throw .failed }
    try unsafe output.append { (room) throws(DecryptingError) in
      var length: Int32 = 0
      try OpenSSL.check(unsafe EVP_CipherFinal_ex(context, room.baseAddress, &length))
      return Int(length)
    }
  }

  /// The tag of the message that was just encrypted with GCM and finished.
  func tag() throws(DecryptingError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: Cipher.tagCount)
    try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag))
    return tag
  }

  private static func start(
    _ context: OpaquePointer, _ algorithm: OpaquePointer, _ direction: Direction, _ key: Secret,
    _ iv: Span<UInt8>,
    setsCount: Bool
  ) throws(DecryptingError) {
    try OpenSSL.check(unsafe EVP_CipherInit_ex2(context, algorithm, nil, nil, direction.rawValue, nil))
    if setsCount {
      // Before the vector itself, which is read with this length.
      let count = Int32(truncatingIfNeeded: iv.count)
      try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, count, nil))
    }
    let status = key.withSpan { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe iv.withUnsafeBufferPointer { iv in
          unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, iv.baseAddress, -1, nil)
        }
      }
    }
    try OpenSSL.check(status)
  }
}
