/// A way in which servers attack the clients that fetch from them, what the result has to be, and why.
package struct Attack: Sendable, CustomStringConvertible {
  package enum Means: Sendable {
    /// HTTP/1.1 over TLS.
    case http(Behaviour, sending: TLSBurden = .none)
    /// The same without TLS.
    case plain(Behaviour)
    case http2(HTTP2Behaviour)
    /// A client's hello without an answer.
    case stalledHandshake
    /// A name server that does not answer when it is asked for the host.
    case silentNameServer
  }

  /// In small letters and hyphens: what `demo --fault` takes.
  package let name: String
  package let means: Means
  /// What a payload that names it comes to: one of these, as they stand in results. More than one where that
  /// is a matter of what comes in one piece.
  package let reasons: Set<String>
  /// Whether nothing but the deadline ends it.
  package let isEndless: Bool
  /// What is in its way, in a few words.
  package let defence: String

  /// - Parameter other: a further reason that it may come to.
  init(_ name: String, _ means: Means, _ reason: String, or other: String? = nil, _ defence: String) {
    self.name = name
    self.means = means
    reasons = Set([reason, other].compactMap(\.self))
    self.defence = defence
    isEndless = reasons.contains(Self.late)
  }

  /// One that only the deadline ends.
  init(endless name: String, _ means: Means, _ defence: String = "the deadline") {
    self.init(name, means, Self.late, defence)
  }

  private static let late = "deadline-exceeded"

  package var description: String { name }

  package var isHTTP2: Bool { if case .http2 = means { true } else { false } }

  package static let all = exhausting + deceiving + ending

  /// A body that looks like what was asked for.
  static let photo = Response(.padded(first: photoStart, length: 20_000), as: "image/jpeg")
  /// SOI, and the marker of JFIF.
  static let photoStart: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
}
