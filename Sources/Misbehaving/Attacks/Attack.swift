/// A way in which servers attack their clients, the reasons it may lead to, and what stops it.
package struct Attack: Sendable, CustomStringConvertible {
  package enum Means: Sendable {
    /// HTTP/1.1 over TLS.
    case http(Behaviour, sending: TLSBurden = .none)
    /// HTTP/1.1 without TLS.
    case plain(Behaviour)
    case http2(HTTP2Behaviour)
    /// Does not answer the client's hello.
    case stalledHandshake
    /// A name server that does not answer when it is asked for the host.
    case silentNameServer
  }

  /// In lowercase letters, digits, dots and hyphens, as `demo --fault` takes it.
  package let name: String
  package let means: Means
  /// The reasons that a result may have. There are two if it depends on which bytes arrive together.
  package let reasons: Set<String>
  /// What stops the attack, in a few words.
  package let defence: String

  init(
    _ name: String, _ means: Means, _ reason: String = late, or other: String? = nil,
    _ defence: String = "the deadline"
  ) {
    self.name = name
    self.means = means
    reasons = Set([reason, other].compactMap(\.self))
    self.defence = defence
  }

  init(
    _ behaviour: HTTP2Behaviour, _ reason: String = late, or other: String? = nil,
    _ defence: String = "the deadline"
  ) {
    self.init("http2-\(behaviour.name)", .http2(behaviour), reason, or: other, defence)
  }

  static let late = "deadline-exceeded"

  package var description: String { name }
  /// Whether the attack may go on until the deadline.
  package var isEndless: Bool { reasons.contains(Self.late) }
  package var isHTTP2: Bool { if case .http2 = means { true } else { false } }

  package static let all = exhausting + deceiving + ending
  /// An answer that looks like the requested photo.
  static let photo = Response(.padded(first: photoStart, length: 20_000), as: "image/jpeg")
  /// A JPEG up to the first byte of its picture: SOI, SOF0 for one grey pixel, SOS.
  static let photoStart: [UInt8] = [
    0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x2a,
  ]
}
