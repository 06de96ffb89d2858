/// A JWE in the compact serialization (RFC 7516 section 7.1), taken apart but not opened.
struct JWEMessage: Equatable, Sendable {
  /// The protected header: JSON.
  let header: [UInt8]
  /// The header as it came, in base64url, which is how it is authenticated.
  let additionalData: [UInt8]
  let iv: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]

  /// Takes five parts in canonical base64url. The second, an encrypted key, is empty in supported algorithms.
  init(compact text: String) throws(DecryptingError) {
    guard text.utf8.count <= DecryptingLimits.contentBytes else { throw .failed }
    // Stops at the sixth part, which is one too many: thousands of parts would take megabytes.
    let parts = text.split(separator: ".", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1].isEmpty else { throw .failed }
    header = try BaseEncoding.base64URL.decode(String(parts[0]))
    additionalData = Array(parts[0].utf8)
    iv = try BaseEncoding.base64URL.decode(String(parts[2]))
    ciphertext = try BaseEncoding.base64URL.decode(String(parts[3]))
    tag = try BaseEncoding.base64URL.decode(String(parts[4]))
  }
}
