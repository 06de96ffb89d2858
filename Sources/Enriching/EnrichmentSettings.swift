package import Fetching
package import Notifications
package import Storing

/// What enriching may use, and how it writes its result. The same for every payload of a process.
package struct EnrichmentSettings: Sendable {
  package var fetching = FetchSettings()
  package var store = "./attachments"
  /// The kinds of stores that there are.
  package var stores = StoreKind.known
  /// Whether the directory of the store is made when it is missing.
  package var makesStore = false
  /// Whether a stored file survives a power cut. A queue needs that, because it then forgets the payload.
  package var isDurable = true
  /// When ciphers, libmagic and the store are tested.
  package var selfTests = SelfTests.atStart
  /// How much of a file is buffered before it is written, in bytes; 0 leaves that to the store.
  package var writeBufferBytes = 0
  /// What the URL of a stored file starts with; nil for `file://` and the store's own path.
  package var publicURL: String?
  /// From receiving a payload to its result; `Deadline.maximum` at most.
  package var deadline = Deadline.maximum
  /// Private memory of the whole process, in bytes. Less where the kernel limits it (`ControlGroup`).
  package var memory = 12_000_000
  package var concurrency = 64
  /// How hosts share the transfers; nil for no limits of a host.
  package var hosts: HostLimits? = HostLimits()
  package var limits = SizeLimits()
  /// The cache's file; nil for one beside the spools.
  package var cacheFile: String?
  /// The cache's size on the disk, without the files that it refers to, in bytes; 0 for no cache.
  package var cacheBytes = 0
  /// Further paths in a payload that hold media URLs.
  package var mediaKeys: [MediaKey] = []
  /// How a result names the stored files; not empty.
  package var writing: Set<WritingMode> = [.attachments]
  package var attachmentsKey = "attachments"
  /// Whether one medium that fails leaves the payload unmodified. If not, the others are attached, as on iOS.
  package var requiresAll = false

  /// Where the keys are; nil for none.
  package var keys: KeyLocation?
  /// Gets what the operator should know, in a sentence.
  package var warn: @Sendable (String) -> Void = { _ in }

  package init() {}

  package enum SelfTests: Sendable {
    /// All of them, before the first payload.
    case atStart
    /// Only of what a payload uses, when it does.
    case whenNeeded
  }

  /// Tunes the settings for a single payload: start fast, and use the memory that others do not need.
  package mutating func prepareForOnePayload() {
    selfTests = .whenNeeded
    writeBufferBytes = 262_144
    hosts = nil
    // Few transfers can afford this. 50 MB in pieces of 16 KB take a third longer.
    fetching.receiveBufferBytes = 262_144
    concurrency = min(concurrency, Enricher.maximumMedia)
  }
}
