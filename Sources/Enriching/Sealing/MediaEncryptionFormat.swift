/// How a sealed medium is encrypted.
package enum MediaEncryptionFormat: String, CaseIterable, Sendable {
  /// `{"url":…,"enc":{"ce":"aes128gcm",…}}`
  case aes128gcm
  /// `{"file":{"v":"v2",…}}`
  case matrix
  /// `{"url":"aesgcm://…"}`
  case aesgcm
  /// `{"url":…,"enc":{"ce":"signal",…}}`
  case signal
}
