extension String {
  /// A URL as it may stand in a log: `***` for the password, which ends at the last `@` even where it should have been escaped.
  package var withoutPassword: String {
    guard let slashes = firstRange(of: "://"), let at = lastIndex(of: "@"), slashes.upperBound < at,
      let colon = self[slashes.upperBound..<at].firstIndex(of: ":")
    else { return self }
    return self[...colon] + "***" + self[at...]
  }
}
