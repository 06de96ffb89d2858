internal import COpenSSL

/// A cipher at work on one message (`EVP_EncryptInit(3)`). Wipes and frees its key schedule itself.
@safe struct CipherContext: ~Copyable {
  enum Direction: Int32 { case decrypting = 0, encrypting = 1 }

  private let object: OpenSSLObject
  private let cipher: Cipher
  private var context: OpaquePointer { unsafe object.pointer }

  /// Throws if the cipher does not take a key or an initialization vector of that length.
  init(_ cipher: Cipher, _ direction: Direction, key: Secret, iv: Span<UInt8>) throws(DecryptingError) {
    guard key.count == cipher.keyCount, cipher.ivCounts.contains(iv.count) else { throw .failed }
    let algorithm = try unsafe OpenSSL.check(cipher.algorithm)
    let object = try unsafe OpenSSLObject(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free)
    let context = unsafe object.pointer
    try OpenSSL.check(unsafe EVP_CipherInit_ex2(context, algorithm, nil, nil, direction.rawValue, nil))
    if cipher.hasTag {
      // Set before the vector, because OpenSSL reads this many bytes of it.
      let count = Int32(truncatingIfNeeded: iv.count)
      try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, count, nil))
    }
    let status = unsafe key.withUnsafeBytes { key in
      unsafe iv.withUnsafeBufferPointer { iv in
        let key = unsafe key.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, iv.baseAddress, -1, nil)
      }
    }
    try OpenSSL.check(status)
    self.object = object
    self.cipher = cipher
  }

  /// Begins a message with the same key and length of `iv`, three times as fast as a new context.
  mutating func restart(iv: Span<UInt8>) throws(DecryptingError) {
    let status = unsafe iv.withUnsafeBufferPointer {
      unsafe EVP_CipherInit_ex2(context, nil, nil, $0.baseAddress, -1, nil)
    }
    try OpenSSL.check(status)
  }

  /// Makes GCM authenticate `bytes` without encrypting them. Call it before the first `update`.
  mutating func authenticate(_ bytes: Span<UInt8>) throws(DecryptingError) {
    if !bytes.isEmpty { _ = try unsafe update(bytes, to: nil) }
  }

  /// Appends the result for `input` to `output`, which must have room for it plus one block.
  mutating func update(_ input: Span<UInt8>, into output: inout PlaintextBuffer) throws(DecryptingError) {
    guard output.room >= input.count + Cipher.blockCount else { throw .failed }
    guard !input.isEmpty else { return }
    try unsafe output.append { (room) throws(DecryptingError) in
      try unsafe update(input, to: room.baseAddress)
    }
  }

  private func update(
    _ input: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>?
  ) throws(DecryptingError) -> Int {
    guard let count = Int32(exactly: input.count) else { throw .failed }
    var length: Int32 = 0
    let status = unsafe input.withUnsafeBufferPointer {
      unsafe EVP_CipherUpdate(context, output, &length, $0.baseAddress, count)
    }
    try OpenSSL.check(status)
    return Int(length)
  }

  /// Takes an `input` of any length. Drains `output` into `sink` when it is full.
  mutating func update(
    _ input: Span<UInt8>, into output: inout PlaintextBuffer, _ sink: PlaintextSink
  ) throws(DecryptingError) {
    var rest = input
    while !rest.isEmpty {
      if output.room <= Cipher.blockCount { try output.drain(into: sink) }
      let piece = rest.extracting(first: min(rest.count, output.room - Cipher.blockCount))
      try update(piece, into: &output)
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  /// Ends a message and appends the last block of CBC. If it throws, the output must not be used.
  /// - Parameter tag: the tag of the message when decrypting with GCM, otherwise nil.
  mutating func finish(tag: [UInt8]? = nil, into output: inout PlaintextBuffer) throws(DecryptingError) {
    if var tag {
      guard cipher.hasTag, tag.count == Cipher.tagCount else { throw .failed }
      try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
    }
    guard output.room >= Cipher.blockCount else { throw .failed }
    try unsafe output.append { (room) throws(DecryptingError) in
      var length: Int32 = 0
      try OpenSSL.check(unsafe EVP_CipherFinal_ex(context, room.baseAddress, &length))
      return Int(length)
    }
  }

  func tag() throws(DecryptingError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: Cipher.tagCount)
    try OpenSSL.check(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag))
    return tag
  }
}
