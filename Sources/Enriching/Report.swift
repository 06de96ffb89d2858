package import Fetching
package import Notifications
package import Sniffing

/// What happened to a payload.
package final class Report: Sendable {
  package let outcome: String
  package let failure: Failure?
  package let elapsed: Duration
  /// The peak private memory of the process so far, in bytes.
  package let peakPrivateBytes: Int
  package let media: [MediaReport]
  /// The name of the envelope around the payloads; nil if the message is the payload.
  package let envelope: String?
  /// Where the payloads are in the envelope, spelled as `MediaKey`s.
  package let places: [String]
  /// Whether the message has an object for a payload at one of them, or one can be created.
  package let hasPayload: Bool
  /// Why some of several payloads stay unmodified.
  package let failures: [PayloadFailure]
  /// Nil if there is nothing to say, or if the progress does not record it.
  package let category: CategoryReport?
  /// What `--apply-texts` did. Nil if it did nothing, or if the progress does not record it.
  package let texts: AppliedTexts?

  init(
    _ outcome: Outcome, media: [MediaReport], elapsed: Duration, of message: PushMessage? = nil,
    failures: [PayloadFailure] = [], category: CategoryReport? = nil, texts: AppliedTexts? = nil
  ) {
    self.outcome = outcome.name
    failure = outcome.failure
    self.elapsed = elapsed
    peakPrivateBytes = PrivateMemory.peak
    self.media = media
    envelope = message?.envelope
    places = message.flatMap { $0.envelope == nil ? nil : $0.payloads.map(\.path) } ?? []
    hasPayload = message?.payloads.contains { !$0.isMissing } ?? true
    self.failures = failures
    self.category = category
    self.texts = texts
  }
}

/// What happened to a medium.
package struct MediaReport: Sendable {
  package struct Stored: Sendable, Equatable {
    package let url: String
    /// The size in bytes.
    package let size: Int
    package let sha256: String
  }

  private let request: MediaRequest
  package var fetch = FetchJournal.State()
  /// The Content-Type that the server sent.
  package var contentType: String?
  package var format: MediaFormat?
  /// What the bytes say besides their type.
  package var facts = MediaFacts()
  /// The size limit for files of that format, in bytes.
  package var limit: Int?
  package var stored: Stored?
  /// How long it took to write the buffered rest and make the file durable.
  package var storing: Duration?
  var storingStart: ContinuousClock.Instant?
  /// Where the result names the file, in the syntax of `MediaKey`.
  package var writtenPaths: [String] = []
  /// Where the medium came from. Nil without a cache, or if it has not arrived.
  package var cacheUse: CacheUse?
  /// Whether it waits for another payload's fetch of the same URL.
  package var isWaitingForAnother = false
  package var failure: Failure?

  init(_ request: MediaRequest) { self.request = request }

  package var reference: MediaReference { request.reference }
  package var identifier: String { reference.identifier }
  /// Why iOS may not show the stored file.
  package var warning: MediaWarning? { stored == nil ? nil : facts.warning }

  /// The URL as requested: `spelledURL` without the blanks around it.
  package var url: String { spelledURL.withoutBlanksAround }

  /// The URL in the payload, without its fragment, which may be a key, and without a password.
  package var spelledURL: String {
    // Compares bytes, because `#` followed by a combining mark is another `Character`.
    String(decoding: reference.url.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self).masked
  }

  static let store = "the store"

  /// What an unfinished medium is waiting for.
  package var waitingFor: String {
    if isWaitingForAnother { return "the same file, which another payload was fetching" }
    return fetch.phase == .done ? Self.store : fetch.phase.rawValue
  }

  /// Descriptions of the labels that disagree with the bytes. Devices trust labels.
  package var disagreements: [String] {
    guard let format else { return [] }
    let path = url.prefix { $0 != "?" }
    // Skips the scheme, an empty component and the host.
    let name = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).last ?? ""
    let suffix = name.contains(".") ? name.split(separator: ".").last.map { String($0) } : nil
    let labels: [(kind: String, text: String?, label: MediaLabel?)] = [
      ("hint", reference.typeHint?.text, reference.typeHint.flatMap { MediaLabel($0) }),
      ("Content-Type", contentType, contentType.map { .mimeType($0) }),
      ("extension", suffix, suffix.map { .filenameExtension($0) }),
    ]
    return labels.compactMap { kind, text, label in
      guard let text, let label, !format.agrees(with: label) else { return nil }
      return "the \(kind) '\(text)'"
    }
  }
}
