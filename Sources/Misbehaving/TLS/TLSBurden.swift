/// What a server sends or does for nothing, to fill the client's memory or to keep it busy.
package enum TLSBurden: Sendable {
  case none
  /// A useless certificate behind its own, with this many units of 12 bytes in its name.
  case certificate(units: Int)
  /// Empty names of so many authorities, of 4 bytes each, from which it would like a certificate.
  case authorities(Int)
  /// So many new keys behind each piece of an answer (RFC 8446 section 4.6.3).
  case newKeys(Int)
  /// A ticket of this many bytes, at most 65,000, behind each piece of an answer (RFC 8446 section 4.6.1).
  case ticket(bytes: Int)
  case finiteField
}
