/// The protected header of a JWE (RFC 7516 section 4), as far as it is supported.
///
/// The JSON is read by the caller; what it means is decided here.
package struct JWEHeader: Equatable, Sendable {
  /// A member of the header, or of an object in it.
  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package indirect enum Value: Equatable, Sendable {
    case text(String)
    case object([Member])
    /// Anything else that JSON has.
    case other
  }

  /// How the key comes about (RFC 7518 section 4).
  enum Algorithm: String, Sendable {
    /// The shared key itself.
    case direct = "dir"
    /// What both keys agree on, itself (section 4.6, "Direct Key Agreement").
    case agreement = "ECDH-ES"
  }

  let algorithm: Algorithm
  let encryption: JWEEncryption
  package let keyID: String?
  /// The sender's public key for this message, 65 octets: there if and only if the keys agree on one.
  let ephemeral: [UInt8]?
  /// `apu` and `apv`: what the sender calls both parties. Empty where it does not.
  let producer: [UInt8]
  let recipient: [UInt8]

  /// - Parameter members: all members in any order, those of the same name among them.
  /// - Throws: `DecryptingError.failed` for a name that comes twice, for `zip` and `crit`, for other
  ///   algorithms, and for what is not of the type that RFC 7516 and 7518 ask for. Other members are ignored,
  ///   as section 4 asks.
  package init(_ members: [Member]) throws(DecryptingError) {
    let header = try Names(members)
    guard !header.has("zip"), !header.has("crit"),
      let algorithm = try header.text("alg").flatMap(Algorithm.init),
      let encryption = try header.text("enc").flatMap(JWEEncryption.init)
    else { throw .failed }
    self.algorithm = algorithm
    self.encryption = encryption
    keyID = try header.text("kid")
    producer = try Base64.url.decode(header.text("apu") ?? "")
    recipient = try Base64.url.decode(header.text("apv") ?? "")
    ephemeral = algorithm == .agreement ? try Self.point(header.object("epk")) : nil
  }

  /// The point of a JSON Web Key on P-256 (RFC 7518 section 6.2.1).
  private static func point(_ members: [Member]) throws(DecryptingError) -> [UInt8] {
    let key = try Names(members)
    guard try key.text("kty") == "EC", try key.text("crv") == "P-256" else { throw .failed }
    var point: [UInt8] = [4]
    for name in ["x", "y"] {
      let coordinate = try Base64.url.decode(key.text(name) ?? "")
      guard coordinate.count == 32 else { throw .failed }
      point += coordinate
    }
    return point
  }

  /// Members by their names, each of which is there once.
  private struct Names {
    private let values: [String: Value]

    init(_ members: [Member]) throws(DecryptingError) {
      var values: [String: Value] = [:]
      for member in members {
        guard values.updateValue(member.value, forKey: member.name) == nil else { throw .failed }
      }
      self.values = values
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// - Returns: nil when there is no such member.
    /// - Throws: `DecryptingError.failed` when it is no text.
    func text(_ name: String) throws(DecryptingError) -> String? {
      switch values[name] {
      case nil: return nil
      case .text(let text): return text
      default: throw .failed
      }
    }

    func object(_ name: String) throws(DecryptingError) -> [Member] {
      guard case .object(let members) = values[name] else { throw .failed }
      return members
    }
  }
}
