/// Why there is no sniffer. Examining itself never fails: what cannot be recognised is a rejected body.
package enum SnifferError: Error, Equatable {
  /// libmagic gave no cookie: no memory.
  case magicUnavailable
  /// libmagic cannot read its database (Debian: `/usr/lib/file/magic.mgc`). `reason` is its own text.
  case databaseUnreadable(reason: String)
}
