/// A file that has its name in the store.
package struct StoredFile: Sendable, Equatable {
  /// `<sha256>.<extension>`, relative to the store.
  package let name: String
  /// The size in bytes.
  package let size: Int
  /// The digest of the content, in 64 lower-case hexadecimal digits.
  package let sha256: String

  init(name: String, size: Int, sha256: String) {
    self.name = name
    self.size = size
    self.sha256 = sha256
  }

  /// A file that was stored before.
  /// - Returns: nil if `name` is not that of a file with this extension.
  package init?(name: String, size: Int, filenameExtension: String) {
    guard DirectoryStore.mediumName(of: name, [filenameExtension]) == name, size >= 0 else { return nil }
    self.init(name: name, size: size, sha256: String(name.prefix(64)))
  }
}
