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
  /// Whether a stored file survives a power cut from the moment its payload is out. A queue needs that, because it forgets the
  /// payload then; a command line does without, as any download does.
  package var isDurable = true
  /// Whether what one payload may not need is opened only when it does.
  package var isForOnePayload = false
  /// What the URL of a stored file starts with; nil for `file://` and the store's own path.
  package var publicURL: String?
  /// From receiving a payload to its result; `Deadline.maximum` at most.
  package var deadline = Deadline.maximum
  /// Private memory of the whole process, in bytes. Less where the kernel limits it (`ControlGroup`).
  package var memory = 12_000_000
  /// Transfers at once.
  package var concurrency = 64
  /// How hosts share them. Of no use for one payload.
  package var hosts = HostLimits()
  package var limits = SizeLimits()
  /// What the cache may take on the disk, beside the files that it speaks of, in bytes; 0 or nil for none.
  package var cacheBytes: Int?
  /// Further places in a payload where media URLs stand.
  package var mediaKeys: [MediaKey] = []
  /// How a result names the stored files; one way at the least.
  package var writing: Set<WritingMode> = [.attachments]
  /// The name of the member that is added to a payload.
  package var attachmentsKey = "attachments"
  /// Whether one medium that fails leaves the payload unmodified; otherwise those that work are attached, as on iOS.
  package var requiresAll = false

  /// Where the keys are; nil for none.
  package var keys: KeyLocation?
  /// Gets what the operator should know, in a sentence.
  package var warn: @Sendable (String) -> Void = { _ in }

  package init() {}
}

extension EnrichmentSettings {
  /// What a cache takes at the least, in bytes.
  package static let leastCacheBytes = CacheTable.rowBytes

  /// What each of many transfers is to receive into, in bytes: half a megabyte for 8 to 64 of them together. A large file takes twice
  /// as long where each read of a connection is of 8 KB as where it is of 64 KB.
  /// - Parameter concurrency: transfers at once.
  package static func receiveBufferBytes(for concurrency: Int) -> Int {
    min(max(524_288 / max(1, concurrency), 8_192), 65_536)
  }

  var writer: ResultWriter { ResultWriter(modes: writing, key: attachmentsKey, mediaKeys: mediaKeys) }

  /// What follows for fetching from what is set here.
  func fetchSettings(_ plan: MemoryPlan) -> FetchSettings {
    var settings = fetching
    // One at the least, so that libcurl does not take it for no limit.
    settings.concurrency = max(1, plan.slots)
    settings.hosts = isForOnePayload ? nil : hostLimits(settings.concurrency)
    settings.offersHTTP2 = plan.offersHTTP2
    settings.maximumBodyBytes = limits.largest
    return settings
  }

  /// A deadline that is short leaves less time to find out.
  private func hostLimits(_ transfers: Int) -> HostLimits {
    var limits = hosts
    limits.transfers = transfers
    limits.patience = min(limits.patience, deadline / 3)
    limits.hush = min(limits.hush, deadline / 6)
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
