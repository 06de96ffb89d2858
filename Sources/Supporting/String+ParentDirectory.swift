extension String {
  /// The directory of the file with this path: what stands before its last slash.
  package var parentDirectory: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
