extension String {
  /// A URL for the log: with `***` for the password, which ends at the last `@` even if one in it is not
  /// escaped.
  package var withoutPassword: String {
    guard let slashes = firstRange(of: "://"), let at = lastIndex(of: "@"), slashes.upperBound < at,
      let colon = self[slashes.upperBound..<at].firstIndex(of: ":")
    else { return self }
    return self[...colon] + "***" + self[at...]
  }
}
