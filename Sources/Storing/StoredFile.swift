internal import Supporting

/// A file that has its name in the store.
package struct StoredFile: Sendable, Equatable {
  /// `<sha256>.<extension>`, relative to the store.
  package let name: String
  /// The size in bytes.
  package let size: Int
  /// The digest of the content, in lower-case hexadecimal digits.
  package var sha256: String { String(name.prefix(64)) }
}

extension StoredFile {
  /// A file that was stored before. Nil if `name` is not the name of a file with this extension.
  package init?(name: String, size: Int, filenameExtension: String) {
    guard Self.mediumName(of: name, [filenameExtension]) == name, size >= 0 else { return nil }
    self.init(name: name, size: size)
  }

  /// Returns the name of a medium, `<sha256>.<extension>`, from that name or from one that a crash
  /// has left, with a leading dot and a number at the end. Returns nil for any other name.
  static func mediumName(of name: String, _ extensions: Set<String>) -> String? {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 4, parts[0].isEmpty, !parts[3].isEmpty, parts[3].utf8.allSatisfy(\.isASCIIDigit) {
      parts = Array(parts[1...2])
    }
    guard parts.count == 2, parts[0].utf8.count == 64,
      parts[0].utf8.allSatisfy({ $0.isASCIIDigit || 0x61...0x66 ~= $0 }),
      extensions.contains(String(parts[1]))
    else { return nil }
    return parts.joined(separator: ".")
  }
}
