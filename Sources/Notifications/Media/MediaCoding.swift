/// How a medium is encrypted: `"enc":{"ce":"aes128gcm","kid":"…"}`, in the clear beside its URL.
package enum MediaCoding: Equatable, Sendable {
  /// The receiver has the key.
  case aes128gcm(keyID: String)
  /// The coding is not supported, no key is named, or the key is beside the URL for anyone to read.
  case unacceptable

  init?(_ value: JSONValue?) {
    // Many senders write `null` for a medium that is not encrypted.
    guard let value, value.kind != .null else { return nil }
    let isAcceptable = value["ce"]?.string == "aes128gcm" && value.given("k") == nil
    let keyID = isAcceptable ? value["kid"]?.string : nil
    self = keyID.map { .aes128gcm(keyID: $0) } ?? .unacceptable
  }
}
