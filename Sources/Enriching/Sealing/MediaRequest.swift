package import Decrypting
package import Notifications

/// A medium that a payload asks for. A class, because 64 payloads may ask for 1,536 of them.
package final class MediaRequest: Sendable {
  /// How the body is encrypted.
  package enum Protection: Sendable {
    /// The payload does not say. Content-Encoding may, and then the key may be in the ring.
    case undeclared(KeyRing)
    case key(FileKey)
    /// The body cannot be decrypted, for this reason.
    case unopenable(DecryptingError)
  }

  package let reference: MediaReference
  /// The URL to fetch, with https for `aesgcm`. A URL in encrypted content has lost its fragment.
  package let url: String
  package let protection: Protection

  /// Whether both are the same bytes, and read in the same way.
  func isSame(as other: MediaRequest) -> Bool {
    guard case .undeclared = protection, case .undeclared = other.protection else { return false }
    return url.utf8.elementsEqual(other.url.utf8)
  }

  /// A medium that a payload names in the clear.
  init(_ reference: MediaReference, _ ring: KeyRing) {
    self.reference = reference
    url = reference.address
    protection =
      switch reference.coding {
      case nil: .undeclared(ring)
      case .aes128gcm(let keyID): Protection { () throws(DecryptingError) in try ring.fileKey(keyID) }
      case .unacceptable: .unopenable(.failed)
      }
  }

  /// A medium of encrypted content.
  init(_ entry: MediaEntry, _ ring: KeyRing) {
    reference = entry.reference
    let scheme = "aesgcm://"
    let isXMPP = reference.url.lowercased().hasPrefix(scheme)
    url = isXMPP ? "https://\(reference.url.dropFirst(scheme.count))" : reference.url
    let keyed = entry.object.flatMap { $0.given("enc") != nil || $0.given("file") != nil ? $0 : nil }
    guard isXMPP || keyed != nil else {
      protection = .undeclared(ring)
      return
    }
    protection = Protection { () throws(DecryptingError) in
      if !isXMPP, let keyed { return try FileKey(keyed, ring) }
      guard keyed == nil, let fragment = entry.fragment else { throw .failed }
      return .stream(
        try fragment.decodingEscapes { (digits) throws(DecryptingError) in
          try StreamKey(xmppFragment: digits)
        })
    }
  }
}

extension MediaRequest.Protection {
  fileprivate init(_ key: () throws(DecryptingError) -> FileKey) {
    do throws(DecryptingError) { self = .key(try key()) } catch { self = .unopenable(error) }
  }
}

extension FileKey {
  /// Reads `enc` or Matrix's `file` from encrypted content. The key never becomes a `String`.
  fileprivate init(_ object: JSONValue, _ ring: KeyRing) throws(DecryptingError) {
    if let file = object.given("file") {
      guard object.given("enc") == nil else { throw .failed }
      self = .stream(try StreamKey(matrix: file))
      return
    }
    guard let coding = object.given("enc") else { throw .failed }
    let keyID = coding["kid"]?.string
    switch (coding["ce"]?.string, coding["k"]?.spelledText) {
    case ("aes128gcm", let key?):
      let secret = try key.decodingEscapes { (text) throws(DecryptingError) in try Secret(text: text) }
      self = .records(try RecordsKey(secret, keyID: keyID.map { Array($0.utf8) }))
    case ("aes128gcm", nil):
      guard coding.given("k") == nil, let keyID else { throw .failed }
      self = try ring.fileKey(keyID)
    case ("signal", let key?):
      guard let digest = coding["digest"]?.string, let size = coding["size"]?.integer else { throw .failed }
      self = .stream(
        try key.decodingEscapes { (text) throws(DecryptingError) in
          try StreamKey(signal: text, digest: digest, size: size)
        })
    default: throw .failed
    }
  }
}

extension StreamKey {
  fileprivate init(matrix file: JSONValue) throws(DecryptingError) {
    guard let key = file["key"], let version = file["v"]?.string, let keyType = key["kty"]?.string,
      let algorithm = key["alg"]?.string, let secret = key["k"]?.spelledText, let iv = file["iv"]?.string,
      let sha256 = file["hashes"]?["sha256"]?.string
    else { throw .failed }
    self = try secret.decodingEscapes { (text) throws(DecryptingError) in
      try StreamKey(
        matrixVersion: version, keyType: keyType, algorithm: algorithm, key: text, iv: iv, sha256: sha256)
    }
  }
}
