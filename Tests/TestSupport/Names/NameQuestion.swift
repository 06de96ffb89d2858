/// A question that a client asked a `NameServer`.
package struct NameQuestion: Hashable, Sendable {
  /// The kind of record (RFC 1035 section 3.2.2, RFC 3596 section 2.1).
  package enum Kind: UInt16, Sendable {
    case a = 1
    case aaaa = 28
  }

  /// The name in lower case, without a dot at the end.
  package var name: String
  /// Nil for a kind that the server does not know.
  package var kind: Kind?

  package init(name: String, kind: Kind?) {
    self.name = name
    self.kind = kind
  }
}
