internal import Notifications

/// The protected header of a JWE (RFC 7516 section 4), as far as it is supported.
struct JWEHeader: Equatable, Sendable {
  /// How the key comes about (RFC 7518 section 4).
  enum Algorithm: Equatable, Sendable {
    /// `dir`: the shared key itself.
    case direct
    /// `ECDH-ES`: what both keys agree on, itself (section 4.6, "Direct Key Agreement").
    /// - Parameter ephemeral: the sender's public key for this message, 65 octets.
    case agreement(ephemeral: [UInt8])
  }

  let algorithm: Algorithm
  let encryption: JWEEncryption
  let keyID: String?
  /// `apu` and `apv`: what the sender calls both parties. Empty if it does not.
  let producer: [UInt8]
  let recipient: [UInt8]

  /// - Throws: `DecryptingError.failed` for what is no JSON object, a name that comes twice, `zip` and `crit`,
  ///   other algorithms, and for what is not of the type that RFC 7516 and 7518 ask for. Other members are
  ///   ignored, as section 4 asks.
  init(json: [UInt8]) throws(DecryptingError) {
    let header = try Members((try? JSONDocument(json, maximumDepth: 8))?.root)
    guard header.values["zip"] == nil, header.values["crit"] == nil,
      let encryption = try header.text("enc").flatMap(JWEEncryption.init)
    else { throw .failed }
    self.encryption = encryption
    keyID = try header.text("kid")
    producer = try BaseEncoding.base64URL.decode(header.text("apu") ?? "")
    recipient = try BaseEncoding.base64URL.decode(header.text("apv") ?? "")
    switch try header.text("alg") {
    case "dir": algorithm = .direct
    case "ECDH-ES": algorithm = .agreement(ephemeral: try Self.point(Members(header.values["epk"])))
    default: throw .failed
    }
  }

  /// The point of a JSON Web Key on P-256 (RFC 7518 section 6.2.1).
  private static func point(_ key: Members) throws(DecryptingError) -> [UInt8] {
    guard try key.text("kty") == "EC", try key.text("crv") == "P-256" else { throw .failed }
    var point: [UInt8] = [4]
    for name in ["x", "y"] {
      let coordinate = try BaseEncoding.base64URL.decode(key.text(name) ?? "")
      guard coordinate.count == P256PrivateKey.scalarCount else { throw .failed }
      point += coordinate
    }
    return point
  }

  /// The members of an object by their names, each of which is there once.
  private struct Members {
    private(set) var values: [String: JSONValue] = [:]

    init(_ object: JSONValue?) throws(DecryptingError) {
      guard let object, object.kind == .object else { throw .failed }
      for member in object.members {
        guard values.updateValue(member.value, forKey: member.name) == nil else { throw .failed }
      }
    }

    /// - Returns: nil if there is no such member.
    /// - Throws: `DecryptingError.failed` if it is no text.
    func text(_ name: String) throws(DecryptingError) -> String? {
      guard let value = values[name] else { return nil }
      guard value.kind == .string else { throw .failed }
      return value.string ?? ""
    }
  }
}
