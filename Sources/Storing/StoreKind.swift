package import Dispatch

/// A kind of store: how its place is written, and how it is opened.
package struct StoreKind: Sendable {
  /// Those that this module has; a further one is a row here. The last one takes every place.
  package static let known = [directory]

  private static let directory = StoreKind(prefix: "", spoolDirectory: { $0 }) {
    (place, settings) throws(StoreError) in try DirectoryStore(path: place, settings)
  }

  /// What its places start with.
  private let prefix: String
  /// The directory on this machine that the spools of a place lie in.
  package let spoolDirectory: @Sendable (_ place: String) -> String
  /// Opens the store. Blocks on the disk. Called again for the next payload if it fails.
  package let open:
    @Sendable (_ place: String, _ settings: StoreSettings) throws(StoreError) -> any MediaStore

  package init(
    prefix: String, spoolDirectory: @escaping @Sendable (_ place: String) -> String,
    open:
      @escaping @Sendable (_ place: String, _ settings: StoreSettings) throws(StoreError) -> any MediaStore
  ) {
    self.prefix = prefix
    self.spoolDirectory = spoolDirectory
    self.open = open
  }

  /// The first kind that takes `place`, which is that of a directory if no other does.
  package static func of(_ place: String, among kinds: [StoreKind] = known) -> StoreKind {
    kinds.first { place.hasPrefix($0.prefix) } ?? directory
  }
}

/// What a store is opened with, whatever its kind.
package struct StoreSettings: Sendable {
  /// Whether a directory that is missing is made (its parent has to be there).
  package var creates = false
  /// Whether stored files survive a power cut. Without it, the kernel writes in its own time.
  package var isDurable = true
  /// Whether the store tests what it needs when it is opened. Otherwise the first file does.
  package var testsItself = false
  /// What the URL of a file starts with; nil for the store's own.
  package var urlPrefix: String?
  /// Bytes of files that may be in memory and not on the disk yet, if a memory limit counts them; nil leaves that
  /// to the kernel, which is faster.
  package var unwrittenBytes: Int?
  /// How much of a file is buffered before it is written, in bytes: fewer and larger writes for that much memory.
  package var pieceBytes = 0
  /// Whether there is memory for what only saves time, such as buffers of whole files.
  package var isMemoryPlenty: @Sendable () -> Bool = { true }
  /// What blocks on the disk runs here, except what the transfer loop writes. So a disk that hangs holds two
  /// threads.
  package let disk = DispatchQueue(label: "push-enricher.disk")

  package init() {}
}
