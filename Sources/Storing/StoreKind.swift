package import Dispatch

/// A kind of store: how its place is written, and how it is opened.
package struct StoreKind: Sendable {
  /// To add a kind, add a row. The last one takes every place.
  package static let known = [directory]

  private static let directory = StoreKind(prefix: "", spoolDirectory: { $0 }) {
    (place, settings) throws(StoreError) in try DirectoryStore(path: place, settings)
  }

  package typealias Open = @Sendable (_ place: String, StoreSettings) throws(StoreError) -> any MediaStore

  /// The start of every place of this kind.
  private let prefix: String
  /// The local directory that holds the spools of a place.
  package let spoolDirectory: @Sendable (_ place: String) -> String
  /// Opens a store. Blocks on the disk. If it fails, it is called again for the next payload.
  package let open: Open

  package init(
    prefix: String, spoolDirectory: @escaping @Sendable (_ place: String) -> String, open: @escaping Open
  ) {
    (self.prefix, self.spoolDirectory, self.open) = (prefix, spoolDirectory, open)
  }

  /// The first kind that takes `place`, or a directory if no kind does.
  package static func of(_ place: String, among kinds: [StoreKind] = known) -> StoreKind {
    kinds.first { place.hasPrefix($0.prefix) } ?? directory
  }
}

package struct StoreSettings: Sendable {
  /// Whether a missing directory is made. Its parent must exist.
  package var creates = false
  /// Whether stored files survive a power cut.
  package var isDurable = true
  /// Whether opening the store tests what it needs. If not, the first file shows what is missing.
  package var testsItself = false
  /// What the URL of a file starts with; nil for the store's default.
  package var urlPrefix: String?
  /// How many bytes may be in memory and not on the disk yet. Nil sets no limit, which is faster.
  package var unwrittenBytes: Int?
  /// How much of a file is buffered before it is written, in bytes. More means fewer writes.
  package var pieceBytes = 0
  /// Whether there is memory to spare for speed, such as for buffers of whole files.
  package var isMemoryPlenty: @Sendable () -> Bool = { true }
  /// Runs what blocks on the disk, except the transfer loop's writes. This keeps low the number of
  /// threads that a hanging disk blocks.
  package let disk = DispatchQueue(label: "push-enricher.disk")

  package init() {}
}
