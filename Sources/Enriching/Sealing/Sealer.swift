internal import Decrypting
internal import Fetching
package import Notifications
internal import Supporting

/// Makes messages and media that `Enricher` can open, so that users can try their pipeline.
package struct Sealer: Sendable {
  private let ring: KeyRing

  init(_ ring: KeyRing) { self.ring = ring }

  /// - Parameter keys: nil if only media are sealed, each with a new key.
  package init(keys: KeyLocation?) throws(SealingError) {
    ring = try rethrowing(as: SealingError.keys) { () throws(KeyFileError) in
      if let keys { try KeyStore.keys(at: keys) } else { KeyRing() }
    }
  }

  /// Puts `content`, a JSON object, into `payload` as ciphertext for the key `keyID`.
  /// - Parameter shape: nil means the usual shape for the key's format.
  package func seal(
    content: [UInt8], keyID: String, as shape: ContentShape? = nil, into payload: Payload
  ) throws(SealingError) -> [UInt8] {
    guard let document = try? JSONDocument(content), document.root.kind == .object else { throw .notAnObject }
    let record = try record(keyID)
    let members = try sealing { () throws(DecryptingError) in
      try ContentShape.seal(content.span, for: record, keyID: keyID, as: shape)
    }
    guard let members else {
      // The usual shape fits its key.
      let shape = shape ?? .own
      throw .keyUnsuitable(keyID, expected: "\(shape.rawValue) takes a key of the format \(shape.keyFormats)")
    }
    let sealed = try rethrowing(as: { _ in SealingError.failed }) { () throws(RewritingError) in
      try payload.applying(payload.object.edits(setting: members))
    }
    guard sealed.count <= Payload.maximumLength else { throw .tooLong(bytes: sealed.count) }
    return sealed
  }

  /// Encrypts a file for `url`, and makes its JSON object for the `media` of encrypted content.
  /// - Parameter keyID: a key for `aes128gcm` that the object only names. Nil makes a new key.
  package func seal(
    media: [UInt8], as format: MediaEncryptionFormat, url: String, keyID: String? = nil
  ) throws(SealingError) -> (file: [UInt8], entry: [UInt8]) {
    try check(url, for: format)
    var known: (id: String, key: RecordsKey)?
    if let keyID {
      guard format == .aes128gcm, case .records(let key) = try record(keyID) else {
        throw .keyUnsuitable(keyID, expected: "media can only use keys of the format aes128gcm")
      }
      known = (keyID, key)
    }
    return try sealing { () throws(DecryptingError) in
      try format.seal(media.span, url: url, with: known)
    }
  }

  /// Content may only name URLs that can be fetched.
  private func check(_ url: String, for format: MediaEncryptionFormat) throws(SealingError) {
    let remote = try rethrowing(as: SealingError.init(url:)) { () throws(FetchError) in try RemoteURL(url) }
    if url.utf8.contains(UInt8(ascii: "#")) { throw .urlUnsuitable("leave out '#' and what follows") }
    if format == .aesgcm, remote.scheme != .https {
      throw .urlUnsuitable("aesgcm:// stands for https:// only")
    }
  }

  private func record(_ keyID: String) throws(SealingError) -> KeyRecord {
    try rethrowing(as: { _ in SealingError.keyUnknown(keyID) }) { () throws(DecryptingError) in
      try ring.record(keyID)
    }
  }

  private func sealing<Sealed>(_ seal: () throws(DecryptingError) -> Sealed) throws(SealingError) -> Sealed {
    try rethrowing(as: { _ in SealingError.failed }, seal)
  }
}

/// Why nothing was sealed, and what would be right.
package enum SealingError: Error, Equatable, CustomStringConvertible {
  case keys(KeyFileError)
  case keyUnknown(String)
  case keyUnsuitable(String, expected: String)
  case notAnObject
  case urlUnsuitable(String)
  /// The payload would be longer than the longest that is accepted.
  case tooLong(bytes: Int)
  /// The name of the key does not fit the format, or there is no memory.
  case failed

  /// - Parameter error: why the URL of a medium cannot be fetched.
  fileprivate init(url error: FetchError) {
    self =
      if case .urlInvalid(let detail) = error { .urlUnsuitable(detail) } else { .urlUnsuitable("\(error)") }
  }

  package var description: String {
    switch self {
    case .keys(let error): "\(error)"
    case .keyUnknown(let keyID): "--keys has no key '\(keyID)'"
    case .keyUnsuitable(let keyID, let expected): "the key '\(keyID)' does not fit: \(expected)"
    case .notAnObject:
      #"the content is not a JSON object: write one like {"title":"Alice","body":"Look!","media":[…]}"#
    case .urlUnsuitable(let detail): "--url cannot be fetched: \(detail)"
    case .tooLong(let bytes):
      "the payload would have \(bytes.asBytes), but \(Payload.maximumLength.asBytes) at most are taken: shorten the content"
    case .failed: "it cannot be encrypted this way: the name of a JWE key has only letters, digits and -._~"
    }
  }
}
