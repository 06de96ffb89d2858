package import Fetching
package import Notifications
package import Storing

/// What enriching may use, and how it writes its result. The same for all payloads of a process.
package struct EnrichmentSettings: Sendable {
  package var fetching = FetchSettings()
  package var store = "./attachments"
  /// The directory that holds media on arrival, before a remote store gets them. Nil for the store's default.
  package var spool: String?
  /// The kinds of stores to choose from.
  package var stores = StoreKind.known
  /// Whether to make the directory of the store if it is missing.
  package var makesStore = false
  /// Whether a stored file survives a power cut. A queue needs this, because it forgets payloads.
  package var isDurable = true
  /// When ciphers, libmagic and the store are tested.
  package var selfTests = SelfTests.atStart
  /// How many bytes of a file are buffered before they are written. 0 leaves this to the store.
  package var writeBufferBytes = 0
  /// The start of a stored file's URL. Nil means `file://` and the store's own path.
  package var publicURL: String?
  /// The time from receiving a payload to its result, at most `Deadline.maximum`.
  package var deadline = Deadline.maximum
  /// The private memory of the process, in bytes. Less if the kernel limits it (`ControlGroup`).
  package var memory = 12_000_000
  package var concurrency = 64
  /// What a door needs besides the transfers: private memory in bytes, and open connections.
  package var door = (memory: 0, connections: 0)
  /// How hosts share the transfers. Nil means that a single host has no limits.
  package var hosts: HostLimits? = HostLimits()
  package var limits = SizeLimits()
  /// The cache's file. Nil means a file beside the spools.
  package var cacheFile: String?
  /// The cache's size on the disk, without the media, in bytes. 0 means that there is no cache.
  package var cacheBytes = 0
  /// Where the payloads are in a message.
  package var envelopes = EnvelopeChoice.automatic
  /// Additional paths in a payload that hold media URLs.
  package var mediaKeys: [MediaKey] = []
  /// What completes relative URLs in a payload, or nil if they are not completed.
  package var baseURL: String?
  /// How a result names the stored files. Must not be empty.
  package var writing: Set<WritingMode> = [.attachments]
  package var attachmentsKey = "attachments"
  /// Whether a provider's texts beside attached media replace the alert's.
  package var appliesTexts = false
  /// Whether one failure leaves the payload unmodified. If not, other media are attached, as on
  /// iOS.
  package var requiresAll = false

  /// Where the keys are, or nil if there are none.
  package var keys: KeyLocation?
  /// The file of categories; nil for none.
  package var categories: String?
  /// Gets what the operator should know, in one sentence.
  package var warn: @Sendable (String) -> Void = { _ in }

  package init() {}

  package enum SelfTests: Sendable {
    /// Runs all tests before the first payload.
    case atStart
    /// Tests only what a payload uses, when it uses it.
    case whenNeeded
  }

  /// Tunes the settings for a single payload: start fast, and use memory that others do not need.
  package mutating func prepareForOnePayload() {
    selfTests = .whenNeeded
    writeBufferBytes = 262_144
    hosts = nil
    // Few transfers can afford this. 50 MB in pieces of 16 KB take a third longer.
    fetching.receiveBufferBytes = 262_144
    concurrency = min(concurrency, Enricher.maximumMedia)
  }
}
