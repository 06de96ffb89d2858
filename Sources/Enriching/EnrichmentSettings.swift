internal import Caching
package import Fetching
package import Notifications

/// What enriching may use, and how it writes its result. The same for every payload of a process.
package struct EnrichmentSettings: Sendable {
  package var fetching = FetchSettings()
  /// The directory of the store.
  package var store = "./attachments"
  /// Whether the store is made when it is missing.
  package var makesStore = false
  /// Whether a stored file survives a power cut from the moment its payload is published. A queue needs that,
  /// because it then forgets the payload; a command line does without, as any download does.
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
  /// Transfers at once.
  package var concurrency = 64
  /// How hosts share the transfers; nil for no limits of a host.
  package var hosts: HostLimits? = HostLimits()
  package var limits = SizeLimits()
  /// The cache's size on the disk, without the files that it refers to, in bytes; 0 or nil for no cache.
  package var cacheBytes: Int?
  /// Further paths in a payload that hold media URLs.
  package var mediaKeys: [MediaKey] = []
  /// How a result names the stored files; not empty.
  package var writing: Set<WritingMode> = [.attachments]
  /// The name of the member that is added to a payload.
  package var attachmentsKey = "attachments"
  /// Whether one medium that fails leaves the payload unmodified; otherwise the others are attached, as on
  /// iOS.
  package var requiresAll = false

  /// Where the keys are; nil for none.
  package var keys: KeyLocation?
  /// Gets what the operator should know, in a sentence.
  package var warn: @Sendable (String) -> Void = { _ in }

  package init() {}
}

extension EnrichmentSettings {
  package enum SelfTests: Sendable {
    /// All of them, before the first payload.
    case atStart
    /// Only of what a payload uses, when it does.
    case whenNeeded
  }

  /// Sets what is different where only one payload is enriched: it starts faster, and has the memory to
  /// itself.
  package mutating func prepareForOnePayload() {
    selfTests = .whenNeeded
    writeBufferBytes = 262_144
    hosts = nil
    // Few transfers can afford what sixty-four could not: 50 MB in pieces of 16 KB take a third longer.
    fetching.receiveBufferBytes = 262_144
    concurrency = min(concurrency, Enricher.maximumMedia)
  }
}

extension EnrichmentSettings {
  /// The smallest size of a cache, in bytes.
  package static let leastCacheBytes = CacheTable.rowBytes

  /// The receive buffer of each of many transfers, in bytes: half a megabyte for 8 to 64 of them together. A
  /// large file takes twice as long with reads of 8 KB as with 64 KB.
  /// - Parameter concurrency: transfers at once.
  package static func receiveBufferBytes(for concurrency: Int) -> Int {
    min(max(524_288 / max(1, concurrency), 8_192), 65_536)
  }

  var writer: ResultWriter { ResultWriter(modes: writing, key: attachmentsKey, mediaKeys: mediaKeys) }

  /// The fetcher's settings that follow from these.
  func fetchSettings(_ plan: MemoryPlan) -> FetchSettings {
    var settings = fetching
    // At least one: libcurl takes 0 for no limit.
    settings.concurrency = max(1, plan.slots)
    settings.hosts = hosts.map { adjusted($0, for: settings.concurrency) }
    settings.offersHTTP2 = plan.offersHTTP2
    settings.maximumBodyBytes = limits.largest
    return settings
  }

  /// A short deadline leaves less time to find out that a host is dead.
  private func adjusted(_ hosts: HostLimits, for transfers: Int) -> HostLimits {
    var limits = hosts
    limits.transfers = transfers
    limits.answerTimeout = min(limits.answerTimeout, deadline / 3)
    limits.silenceThreshold = min(limits.silenceThreshold, deadline / 6)
    return limits
  }

  /// Where the app finds the stored file `name`.
  func url(of name: String, in directory: String) -> String {
    guard let publicURL else { return "file://\(directory.percentEncodedPath)/\(name)" }
    // In a query, the name may be a value.
    let isComplete = publicURL.hasSuffix("/") || publicURL.contains("?") && publicURL.hasSuffix("=")
    return isComplete ? publicURL + name : "\(publicURL)/\(name)"
  }
}

extension String {
  private static let plainInPaths = {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/".utf8)
    return (0...UInt8.max).map { plain.contains($0) }
  }()

  /// As the path of a URL (RFC 3986 section 3.3).
  fileprivate var percentEncodedPath: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for byte in utf8 {
      if Self.plainInPaths[Int(byte)] {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
