internal import Notifications
internal import Supporting

/// The supported members of a JWE's protected header (RFC 7516 section 4).
struct JWEHeader: Equatable, Sendable {
  /// How both sides get the key of the content (RFC 7518 section 4).
  enum Algorithm: Equatable, Sendable {
    /// `dir`: both sides share the key.
    case direct
    /// `ECDH-ES`: both derive the key from a key agreement (section 4.6, "Direct Key Agreement").
    /// - Parameter ephemeral: the sender's public key for this message, 65 bytes.
    case agreement(ephemeral: [UInt8])
  }

  let algorithm: Algorithm
  let encryption: JWEEncryption
  let keyID: String?
  /// `apu` and `apv`: the sender's names for the two parties. Empty if absent.
  let producer: [UInt8]
  let recipient: [UInt8]

  /// Ignores other members, as section 4 requires. Throws if a name repeats, if `zip` or `crit` is
  /// present, or if an algorithm or the type of a member is not supported.
  init(json: [UInt8]) throws(DecryptingError) {
    let header = try Self.object((try? JSONDocument(json, maximumDepth: 8))?.root)
    guard header["zip"] == nil, header["crit"] == nil,
      let encryption = try header.text("enc").flatMap(JWEEncryption.init)
    else { throw .failed }
    self.encryption = encryption
    keyID = try header.text("kid")
    producer = try header.bytes("apu")
    recipient = try header.bytes("apv")
    switch try header.text("alg") {
    case "dir": algorithm = .direct
    case "ECDH-ES": algorithm = .agreement(ephemeral: try Self.point(Self.object(header["epk"])))
    default: throw .failed
    }
  }

  /// The point of a JSON Web Key on P-256 (RFC 7518 section 6.2.1).
  private static func point(_ key: JSONValue) throws(DecryptingError) -> [UInt8] {
    let (x, y) = (try key.bytes("x"), try key.bytes("y"))
    guard try key.text("kty") == "EC", try key.text("crv") == "P-256",
      x.count == P256PrivateKey.scalarCount, y.count == P256PrivateKey.scalarCount
    else { throw .failed }
    return [4] + x + y
  }

  /// Throws unless the value is an object in which no name repeats.
  private static func object(_ value: JSONValue?) throws(DecryptingError) -> JSONValue {
    var names: Set<String> = []
    guard let value, value.kind == .object, value.members.allSatisfy({ names.insert($0.name).inserted })
    else { throw .failed }
    return value
  }
}

extension JSONValue {
  /// Returns nil if the member is missing. Throws if it is not a string.
  fileprivate func text(_ name: String) throws(DecryptingError) -> String? {
    guard let value = self[name] else { return nil }
    guard value.kind == .string else { throw .failed }
    return value.string ?? ""
  }

  /// Decodes a member from base64url. Returns no bytes if it is missing.
  fileprivate func bytes(_ name: String) throws(DecryptingError) -> [UInt8] {
    try BaseEncoding.base64URL.decode(text(name) ?? "")
  }
}
