/// A verified file that more than one payload may name, in the terms of the store and the sniffer. A class, because
/// callers hold it in frames on the heap.
package final class CachedFile: Equatable, Sendable {
  /// Its name in the store: `<sha256>.<extension>`.
  package let name: String
  /// The size in bytes.
  package let size: Int
  /// The name of its format.
  package let format: String
  /// The server's label.
  package let contentType: String?

  package init(name: String, size: Int, format: String, contentType: String?) {
    self.name = name
    self.size = size
    self.format = format
    self.contentType = contentType
  }

  package static func == (left: CachedFile, right: CachedFile) -> Bool {
    (left.name, left.size, left.format, left.contentType)
      == (right.name, right.size, right.format, right.contentType)
  }
}
