/// How a medium is encrypted, as a payload says in the clear: `"enc":{"ce":"aes128gcm","kid":"…"}` beside its
/// URL.
package enum MediaCoding: Equatable, Sendable {
  /// In the `aes128gcm` coding, with a key that the receiver has under this name.
  case aes128gcm(keyID: String)
  /// In another way, or with a key that anyone can read beside it.
  case unacceptable

  init?(_ value: JSONValue?) {
    // By `null`, many senders say that it is not encrypted.
    guard let value, value.kind != .null else { return nil }
    let isAcceptable = value["ce"]?.string == "aes128gcm" && value.given("k") == nil
    let keyID = isAcceptable ? value["kid"]?.string : nil
    self = keyID.map { .aes128gcm(keyID: $0) } ?? .unacceptable
  }
}
