internal import Supporting

/// A JWE in the compact serialization (RFC 7516 section 7.1), split into its parts but not opened.
struct JWEMessage: Equatable, Sendable {
  /// The protected header: JSON.
  let header: [UInt8]
  /// The header as received, in base64url. It is authenticated in this form.
  let additionalData: [UInt8]
  let iv: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]

  /// Takes five parts in canonical base64url. The second, an encrypted key, is empty in all
  /// supported algorithms.
  init(compact text: String) throws(DecryptingError) {
    guard text.utf8.count <= DecryptingLimits.contentBytes else { throw .failed }
    // Stops at a sixth part, which is one too many. Thousands of parts would take megabytes.
    let parts = text.split(separator: ".", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1].isEmpty else { throw .failed }
    header = try BaseEncoding.base64URL.decode(String(parts[0]))
    additionalData = Array(parts[0].utf8)
    iv = try BaseEncoding.base64URL.decode(String(parts[2]))
    ciphertext = try BaseEncoding.base64URL.decode(String(parts[3]))
    tag = try BaseEncoding.base64URL.decode(String(parts[4]))
  }
}
