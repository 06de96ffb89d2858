/// What a server sends in its handshake, or has done, for nothing: to fill the memory of the client, or to
/// keep it busy.
package enum TLSBurden: Sendable {
  case none
  /// A certificate behind its own that vouches for nothing, with this many units of an organization in its
  /// name: 12 bytes each.
  case certificate(units: Int)
  /// Empty names of authorities, of one of which it would like to have a certificate: 4 bytes each.
  case authorities(Int)
  /// Behind each piece of an answer, new keys (RFC 8446 section 4.6.3), so often.
  case newKeys(Int)
  /// Behind each piece of an answer, a ticket (RFC 8446 section 4.6.1) of this many bytes and a few hundred:
  /// up to 65,000.
  case ticket(bytes: Int)
  /// Keys by Diffie-Hellman in a finite field.
  case finiteField
}
