/// How a medium is encrypted, as a payload says in the clear: `"enc":{"ce":"aes128gcm","kid":"…"}` beside its
/// URL.
package enum MediaCoding: Equatable, Sendable {
  /// In the `aes128gcm` coding, with a key that the receiver has under this name.
  case aes128gcm(keyID: String)
  /// In another way, or with a key that anyone can read beside it.
  case unacceptable

  init?(_ value: JSONValue?) {
    // `null` is how many senders write that it is not encrypted.
    guard let value, value.kind != .null else { return nil }
    guard value["ce"]?.string == "aes128gcm", value.given("k") == nil, let keyID = value["kid"]?.string else {
      self = .unacceptable
      return
    }
    self = .aes128gcm(keyID: keyID)
  }
}
