internal import COpenSSL

/// The algorithms in use, each looked up once: a look-up by every record would cost more than the record (0.2
/// µs).
///
/// OpenSSL counts references to them, never changes them, and lets all threads use them at once
/// (openssl-threads(7)): hence `nonisolated(unsafe)`. Nil where a provider was configured away.
enum Algorithms {
  nonisolated(unsafe) static let aes128GCM = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
  nonisolated(unsafe) static let aes256GCM = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
  nonisolated(unsafe) static let aes256CTR = unsafe EVP_CIPHER_fetch(nil, "AES-256-CTR", nil)
  nonisolated(unsafe) static let aes128CBC = unsafe EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
  nonisolated(unsafe) static let aes256CBC = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
  nonisolated(unsafe) static let hmac = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
  nonisolated(unsafe) static let hkdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil)
  nonisolated(unsafe) static let concatKDF = unsafe EVP_KDF_fetch(nil, "SSKDF", nil)
}
