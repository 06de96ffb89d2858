package import Dispatch

/// A kind of store: how its places start, and how they are read.
package struct StoreKind: Sendable {
  /// The kinds of this module. To add a kind, write a row like this one, and have the program put it
  /// first (`OptionValues`).
  package static let known = [directory]

  fileprivate static let directory = StoreKind(prefix: "") { (place, spool) throws(StoreError) in
    guard spool == nil else {
      throw .other(
        "media arrive in the store itself if it is a directory", advice: "leave out --spool",
        extent: .lasting)
    }
    return StorePlace(
      spoolDirectory: place,
      missingURLWarning:
        "results name files on this machine (file://…), which no device can fetch: give --public-url"
    ) { (settings) throws(StoreError) in try DirectoryStore(path: place, settings) }
  }

  /// - Parameter spool: the directory in which media are to arrive; nil for the default.
  package typealias Read = @Sendable (_ place: String, _ spool: String?) throws(StoreError) -> StorePlace

  /// The start of every place of this kind.
  fileprivate let prefix: String
  fileprivate let read: Read

  package init(prefix: String, read: @escaping Read) { (self.prefix, self.read) = (prefix, read) }
}

extension [StoreKind] {
  /// Reads `place` as the first of these kinds that takes it, or as a directory if none does.
  package func place(_ place: String, spool: String? = nil) throws(StoreError) -> StorePlace {
    let kind = first { place.hasPrefix($0.prefix) } ?? .directory
    return try kind.read(place, spool)
  }
}

/// A store that is not open yet, and what it needs.
package struct StorePlace: Sendable {
  package typealias Lifecycle = (
    leastDays: Int, isForWholeBucket: Bool, rule: @Sendable (_ days: Int) -> String
  )
  package typealias Open = @Sendable (StoreSettings) throws(StoreError) -> any MediaStore

  /// The local directory that holds the spools.
  package let spoolDirectory: String
  /// Whether this directory is made if it is missing, even if the settings do not ask for that.
  package var makesSpoolDirectory = false
  /// Files that are read while the store is in use, and may be replaced meanwhile.
  package var files: [String] = []
  /// TCP ports to connect to.
  package var connectPorts: Set<Int> = []
  /// What the store needs at its busiest: private memory in bytes, and open connections.
  package var memory = 0
  package var connections = 0
  /// The start of a file's URL unless the operator sets another one. Nil if devices cannot fetch such URLs.
  package var publicURL: String?
  /// A warning for the operator if no prefix of URLs is given; nil for none.
  package var missingURLWarning: String?
  /// What else the operator should know at the start.
  package var warnings: [String] = []
  /// How old media are removed from a store that `store prune` cannot prune: the least number of days, whether the
  /// rule also removes everything else in the bucket, and the rule itself as JSON, for media older than a number of
  /// days. Nil if `store prune` can prune the store.
  package var lifecycle: Lifecycle?
  /// Opens the store. Blocks on the disk. If it fails, it is called again for the next payload.
  package let open: Open

  package init(spoolDirectory: String, missingURLWarning: String? = nil, open: @escaping Open) {
    self.spoolDirectory = spoolDirectory
    self.missingURLWarning = missingURLWarning
    self.open = open
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
  /// Certificate authorities to trust in addition to the system's: a PEM file.
  package var certificateFile: String?
  /// How many bytes may be in memory and not on the disk yet. Nil sets no limit, which is faster.
  package var unwrittenBytes: Int?
  /// How much of a file is buffered before it is written, in bytes. More means fewer writes.
  package var pieceBytes = 0
  /// Whether there is memory to spare for speed, such as for buffers of whole files.
  package var isMemoryPlenty: @Sendable () -> Bool = { true }
  /// Gets what the operator should know, in one sentence.
  package var warn: @Sendable (String) -> Void = { _ in }
  /// Runs what blocks on the disk, except the transfer loop's writes. This limits how many threads a
  /// hanging disk blocks.
  package let disk = DispatchQueue(label: "push-enricher.disk")

  package init() {}
}
