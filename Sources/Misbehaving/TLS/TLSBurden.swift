/// Useless data or work for the client, to fill its memory or to keep it busy.
package enum TLSBurden: Sendable {
  case none
  /// A useless certificate after the server's own. Its name has this many units of 12 bytes.
  case certificate(units: Int)
  /// A request for a client certificate from this many authorities, with empty names of 4 bytes.
  case authorities(Int)
  /// This many new keys after each piece of an answer (RFC 8446 section 4.6.3).
  case newKeys(Int)
  /// A ticket of this many bytes, at most 65,000, after each piece (RFC 8446 section 4.6.1).
  case ticket(bytes: Int)
  case finiteField
}
