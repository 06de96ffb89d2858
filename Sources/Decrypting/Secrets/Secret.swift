internal import COpenSSL
package import Supporting

/// Key bytes in memory that is locked, wiped when freed and left out of core dumps. Never printed;
/// compared in constant time. A copy of the bytes elsewhere has none of these properties.
@safe package final class Secret: Sendable, Equatable, CustomDebugStringConvertible, CustomReflectable {
  package let count: Int
  /// `nonisolated(unsafe)`, because only `init` writes it, before the object can be shared.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  /// - Parameter fill: writes the `count` bytes, which are zeros at first.
  init(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(DecryptingError) -> Void
  ) throws(DecryptingError) {
    guard count >= 0, let start = unsafe SecretMemory.allocate(count) else { throw .failed }
    self.count = count
    unsafe self.start = start
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: count))
  }

  package convenience init(_ bytes: Span<UInt8>) throws(DecryptingError) {
    try unsafe self.init(count: bytes.count) { (buffer) throws(DecryptingError) in
      for index in bytes.indices { unsafe buffer[index] = bytes[index] }
    }
  }

  /// Random bytes from OpenSSL's generator for private keys.
  package static func random(count: Int) throws(DecryptingError) -> Secret {
    try unsafe Secret(count: count) { (buffer) throws(DecryptingError) in
      let bytes = unsafe buffer.assumingMemoryBound(to: UInt8.self)
      try OpenSSL.check(unsafe RAND_priv_bytes(bytes.baseAddress, Int32(clamping: bytes.count)))
    }
  }

  deinit { unsafe SecretMemory.deallocate(start, count) }

  /// Whether the kernel has locked all secrets in memory. If not, raise its limit (`ulimit -l`).
  package static var areUnpageable: Bool { SecretMemory.isLocked }

  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    return try unsafe body(bytes.span)
  }

  @unsafe func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A copy of some bytes, for secrets that combine two keys. Throws if `range` is out of bounds.
  func part(_ range: Range<Int>) throws(DecryptingError) -> Secret {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .failed }
    return try withSpan { (bytes) throws(DecryptingError) in try Secret(bytes.extracting(range)) }
  }

  /// Reads text straight into wiped memory, never from a `String`, which nobody can wipe.
  package convenience init(text: Span<UInt8>, in encoding: BaseEncoding = .anyBase64) throws(DecryptingError)
  {
    guard let count = encoding.count(decoding: text) else { throw .failed }
    try unsafe self.init(count: count) { (buffer) throws(DecryptingError) in
      guard unsafe encoding.decode(text, into: buffer) else { throw .failed }
    }
  }

  /// The key as text. Use it only for a key file or for content that will be encrypted.
  package func revealed(in encoding: BaseEncoding = .base64URL) -> String { withSpan { encoding.encode($0) } }

  package static func == (one: Secret, other: Secret) -> Bool {
    one.withSpan { one in other.withSpan { other in OpenSSL.areEqual(one, other) } }
  }

  package var debugDescription: String { "Secret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
