/// A file that stands in the store under its name.
package struct StoredFile: Sendable, Equatable {
  /// `<sha256>.<extension>`, relative to the store.
  package let name: String
  /// In bytes.
  package let size: Int
  /// Of the content, 64 lower-case hexadecimal digits.
  package let sha256: String
}
