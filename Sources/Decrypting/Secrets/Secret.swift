internal import COpenSSL

/// Key bytes, in memory that is wiped, locked and left out of core dumps. Never printed, compared in constant
/// time.
///
/// It is handed round by reference: whoever copies its bytes elsewhere has lost them.
@safe package final class Secret: Sendable {
  /// Octets.
  package let count: Int
  /// Written by `init` alone, before anybody else can see it: hence `nonisolated(unsafe)`.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  /// - Parameter fill: writes all `count` octets, which are zero before.
  /// - Throws: what `fill` throws; `DecryptingError.failed` without memory.
  init(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(DecryptingError) -> Void
  ) throws(DecryptingError) {
    guard count >= 0, let start = unsafe SecretMemory.allocate(count) else { throw .failed }
    self.count = count
    unsafe self.start = start
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: count))
  }

  /// Copies `bytes`, which stay where they are.
  package convenience init(_ bytes: Span<UInt8>) throws(DecryptingError) {
    try unsafe self.init(count: bytes.count) { (buffer) throws(DecryptingError) in
      for index in bytes.indices { unsafe buffer[index] = bytes[index] }
    }
  }

  /// As many random octets, from the generator that OpenSSL keeps for private keys.
  package static func random(count: Int) throws(DecryptingError) -> Secret {
    try unsafe Secret(count: count) { (buffer) throws(DecryptingError) in
      let bytes = unsafe buffer.assumingMemoryBound(to: UInt8.self)
      try OpenSSL.check(unsafe RAND_priv_bytes(bytes.baseAddress, Int32(clamping: bytes.count)))
    }
  }

  deinit { unsafe SecretMemory.deallocate(start, count) }

  /// Whether the kernel keeps all secrets in memory. False says that its limit on locked memory (`ulimit -l`)
  /// is too low.
  package static var areUnpageable: Bool { SecretMemory.isLocked }

  /// Gives `body` the bytes, for as long as it runs.
  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    return try unsafe body(bytes.span)
  }

  /// The same for C.
  @unsafe func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A copy of some of the octets, for keys that are two in one.
  /// - Throws: `DecryptingError.failed` when it has no such octets.
  func part(_ range: Range<Int>) throws(DecryptingError) -> Secret {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .failed }
    return try withSpan { (bytes) throws(DecryptingError) in try Secret(bytes.extracting(range)) }
  }
}

/// Keys as text: read straight into wiped memory, written only on purpose. Never from a `String`, which nobody
/// can wipe.
extension Secret {
  /// - Throws: `DecryptingError.failed` for what is not canonical.
  package convenience init(
    text: Span<UInt8>, in encoding: BaseEncoding = .base64URL
  ) throws(DecryptingError) {
    guard let count = encoding.count(decoding: text.count) else { throw .failed }
    try unsafe self.init(count: count) { (buffer) throws(DecryptingError) in
      guard unsafe encoding.decode(text, into: buffer) else { throw .failed }
    }
  }

  /// The key itself as text: for a key file or for the inside of an encrypted payload, nowhere else.
  package func revealed(in encoding: BaseEncoding = .base64URL) -> String {
    withSpan { encoding.encode($0) }
  }
}

extension Secret: Equatable {
  package static func == (one: Secret, other: Secret) -> Bool {
    one.withSpan { one in other.withSpan { other in OpenSSL.areEqual(one, other) } }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Secret" }
  package var debugDescription: String { "Secret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
