package import Dispatch

/// A kind of store: how its place is written, and how it is opened.
package struct StoreKind: Sendable {
  /// A further kind is a row here. The last one takes every place.
  package static let known = [directory]

  private static let directory = StoreKind(prefix: "", spoolDirectory: { $0 }) {
    (place, settings) throws(StoreError) in try DirectoryStore(path: place, settings)
  }

  package typealias Open = @Sendable (_ place: String, StoreSettings) throws(StoreError) -> any MediaStore

  /// What its places start with.
  private let prefix: String
  /// The directory on this machine that the spools of a place lie in.
  package let spoolDirectory: @Sendable (_ place: String) -> String
  /// Blocks on the disk. Called again for the next payload if it fails.
  package let open: Open

  package init(
    prefix: String, spoolDirectory: @escaping @Sendable (_ place: String) -> String, open: @escaping Open
  ) {
    (self.prefix, self.spoolDirectory, self.open) = (prefix, spoolDirectory, open)
  }

  /// The first kind that takes `place`; a directory if none does.
  package static func of(_ place: String, among kinds: [StoreKind] = known) -> StoreKind {
    kinds.first { place.hasPrefix($0.prefix) } ?? directory
  }
}

package struct StoreSettings: Sendable {
  /// Whether a missing directory is made. Its parent has to be there.
  package var creates = false
  /// Whether stored files survive a power cut.
  package var isDurable = true
  /// Whether opening the store tests what it needs. Otherwise the first file does.
  package var testsItself = false
  /// What the URL of a file starts with; nil for the store's own.
  package var urlPrefix: String?
  /// Bytes of files that may be in memory and not on the disk yet; nil, which is faster, sets no limit.
  package var unwrittenBytes: Int?
  /// How much of a file is buffered before it is written, in bytes. More means fewer writes.
  package var pieceBytes = 0
  /// Whether there is memory for what only saves time, such as buffers of whole files.
  package var isMemoryPlenty: @Sendable () -> Bool = { true }
  /// Runs what blocks on the disk, except the transfer loop's writes. So a hanging disk holds two threads.
  package let disk = DispatchQueue(label: "push-enricher.disk")

  package init() {}
}
