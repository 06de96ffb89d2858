/// What a server sends in its handshake for nothing, to fill the memory of whoever talks to it.
package enum TLSBurden: Sendable {
  case none
  /// A certificate behind its own that vouches for nothing, with this many units of an organization in its name: 12 bytes each.
  case certificate(units: Int)
  /// Empty names of authorities, of one of which it would like to have a certificate: 4 bytes each.
  case authorities(Int)

  /// Of each kind, nearly as much as is taken.
  package static let bearable = [certificate(units: 2_500), authorities(8_000)]
}
