internal import Notifications

/// The supported members of a JWE's protected header (RFC 7516 section 4).
struct JWEHeader: Equatable, Sendable {
  /// How both sides get the content's key (RFC 7518 section 4).
  enum Algorithm: Equatable, Sendable {
    /// `dir`: they share it.
    case direct
    /// `ECDH-ES`: they derive it from a key agreement (section 4.6, "Direct Key Agreement").
    /// - Parameter ephemeral: the sender's public key for this message, 65 bytes.
    case agreement(ephemeral: [UInt8])
  }

  let algorithm: Algorithm
  let encryption: JWEEncryption
  let keyID: String?
  /// `apu` and `apv`: the sender's names for both parties; empty if absent.
  let producer: [UInt8]
  let recipient: [UInt8]

  /// Ignores other members, as section 4 asks.
  /// Throws if a name repeats, there is `zip` or `crit`, or an algorithm or a member's type is not supported.
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

  /// Throws unless it is an object in which no name repeats.
  private static func object(_ value: JSONValue?) throws(DecryptingError) -> JSONValue {
    var names: Set<String> = []
    guard let value, value.kind == .object, value.members.allSatisfy({ names.insert($0.name).inserted })
    else { throw .failed }
    return value
  }
}

extension JSONValue {
  /// Returns nil if there is no such member. Throws if it is no text.
  fileprivate func text(_ name: String) throws(DecryptingError) -> String? {
    guard let value = self[name] else { return nil }
    guard value.kind == .string else { throw .failed }
    return value.string ?? ""
  }

  /// A member in base64url; empty if there is none.
  fileprivate func bytes(_ name: String) throws(DecryptingError) -> [UInt8] {
    try BaseEncoding.base64URL.decode(text(name) ?? "")
  }
}
