/// How a medium is encrypted, as `"enc":{"ce":"aes128gcm","kid":"…"}` beside its URL says in the clear.
package enum MediaCoding: Equatable, Sendable {
  /// With a key that the receiver has.
  case aes128gcm(keyID: String)
  /// In another coding, or with a key that anyone can read beside it.
  case unacceptable

  init?(_ value: JSONValue?) {
    // Many senders say by `null` that it is not encrypted.
    guard let value, value.kind != .null else { return nil }
    let isAcceptable = value["ce"]?.string == "aes128gcm" && value.given("k") == nil
    let keyID = isAcceptable ? value["kid"]?.string : nil
    self = keyID.map { .aes128gcm(keyID: $0) } ?? .unacceptable
  }
}
