internal import Decrypting
internal import Fetching
internal import Notifications
internal import Sniffing
internal import Storing
internal import Supporting

/// Why a step failed: one of the stable reasons, and what happened.
package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  private struct Content: Equatable {
    let reason: Reason
    let detail: String
    let advice: String?
    let goesBack: Bool
    let isStoreOutage: Bool
  }

  /// On the heap: see `TaskPool`.
  private indirect enum Box: Equatable {
    case content(Content)

    var content: Content {
      switch self {
      case .content(let content): content
      }
    }
  }

  private let box: Box

  /// - Parameter advice: nil means the advice of the reason.
  package init(
    _ reason: Reason, _ detail: String, advice: String? = nil, goesBack: Bool = false,
    isStoreOutage: Bool = false
  ) {
    box = .content(
      Content(
        reason: reason, detail: detail, advice: advice, goesBack: goesBack, isStoreOutage: isStoreOutage))
  }

  package var reason: Reason { box.content.reason }
  /// What happened, in one clause without the advice.
  package var detail: String { box.content.detail }
  /// Whether the payload could not start, and goes back to its queue instead of being published.
  package var goesBack: Bool { box.content.goesBack }
  /// Whether the store fails or hangs, as it would for any other payload.
  package var isStoreOutage: Bool { box.content.isStoreOutage }
  /// What the sender of the push, or the operator, can do about it.
  package var advice: String { box.content.advice ?? reason.advice }
  package var description: String { "\(reason.rawValue): \(detail)" }
}

extension Failure {
  init(_ error: FetchError) { self.init(error, url: nil) }

  /// - Parameters:
  ///   - url: the URL that the payload names, if the error concerns it.
  ///   - target: the URL that a redirect led to, or its beginning, if that is what failed.
  init(_ error: FetchError, url: String?, target: String? = nil) {
    var detail = "\(error)"
    var cause: Cause?
    switch error {
    case .tlsFailed: cause = Cause.of(detail, in: Cause.tls)
    case .connectFailed: cause = Cause.of(detail, in: Cause.connecting)
    case .urlInvalid, .schemeNotAllowed:
      if let target {
        (detail, cause) = Self.refusal(error, of: target)
      } else if let url {
        (detail, cause) = Self.refusal(error, ofNamed: url)
      }
    case .addressBlocked(let address, let purpose):
      cause = .address(address, purpose: purpose, isRedirected: target != nil)
    default: break
    }
    // A library's words never stand alone.
    if let words = cause?.words { detail = "\(words): \(detail)" }
    self.init(
      Reason(error), detail, advice: Self.advice(on: error, of: url) ?? cause?.advice,
      goesBack: error.goesBack)
  }

  private static func advice(on error: FetchError, of url: String?) -> String? {
    if case .httpStatus(400..<500, _) = error, let url {
      if url.contains("&amp;") { return "check the URL: \(RemoteURL.escapedAmpersand)" }
      if let cause = Cause.of(url.prefix(1_000), in: Cause.templates) { return cause.advice }
    }
    return switch error {
    case .httpStatus(let status, _): StatusCause.advice(on: status)
    case .responseInvalid: "check the server, or what is in front of it: HTTP allows no such answer"
    case .openFilesExhausted: "allow more open files (ulimit -n, LimitNOFILE= in systemd)"
    case .addressDenied: "serve the media from another address, or change --deny-network"
    case .redirectNeedsCookie: "link to the file itself: a URL that answers without cookies"
    case .downgradeNotAllowed:
      "link to an https URL that redirects to https only, or allow the redirect with --allow-downgrade"
    default: nil
    }
  }

  /// All errors that depend on a key have the same text, so that nobody learns why decrypting failed.
  init(_ error: DecryptingError) {
    switch error {
    case .keyUnknown: self.init(.keyUnknown, "it is encrypted for an unknown key")
    case .keyAmbiguous(let format):
      self.init(
        .keyUnknown, "it names no key, and there are several keys of the format \(format)",
        advice: "keep one key of the format \(format) in --keys or --keys-dir: such messages name no key")
    case .incomplete(let missing, let other):
      self.init(
        .decryptFailed, "it has '\(other)', but not '\(missing)'",
        advice: "have the relay send both the sender's key and the salt, or neither (aes128gcm)")
    case .unauthenticated(let mode):
      self.init(
        .decryptFailed, "it is encrypted with \(mode), which lets anybody change it",
        advice: "choose GCM in the app and in the sender, with an iv of 12 characters")
    case .failed, .keyInvalid, .answersOtherwise:
      self.init(.decryptFailed, "the encrypted data could not be decrypted")
    }
  }

  init(_ error: StoreError) {
    self.init(.storeFailed, "\(error)", advice: error.advice, isStoreOutage: error.extent != .oneFile)
  }

  static let storeHangs = Failure(
    .storeFailed, "the store does not answer", advice: "check its disk, and the network if it is elsewhere",
    isStoreOutage: true)

  /// - Parameter time: the time that storing a file of `bytes` takes; 0 for one of unknown size.
  static func noTimeToStore(_ bytes: Int, _ time: Duration, isStoreOutage: Bool) -> Failure {
    let seconds = Double(time.milliseconds / 100) / 10
    return Failure(
      .deadlineExceeded,
      "there was no time left to store \(bytes > 0 ? bytes.asBytes : "it"): "
        + "going by recent uploads, that takes \(seconds) s",
      advice: "make the store or the network to it faster, or send smaller files",
      isStoreOutage: isStoreOutage)
  }

  init(_ error: RewritingError) {
    switch error {
    case .keyTaken: self.init(.attachmentsKeyTaken, "\(error)")
    case .alreadyEnriched:
      self.init(
        .attachmentsKeyTaken, "\(error)",
        advice: "send it as it is, or enrich the payload that it was made from")
    case .tooLarge: self.init(.payloadTooLarge, "\(error)")
    case .overlapping: self.init(.invalidPayload, "\(error)")
    }
  }

  /// Nothing was found. Names the URLs that are there, as values of `--media-key`.
  /// - Parameter completes: whether relative URLs are completed (`--base-url`).
  static func noMedia(in payload: Payload, completes: Bool) -> Failure {
    let detail = "no media URL was found in it"
    if let place = payload.androidPicture {
      return Failure(
        .noMedia, detail,
        advice: "put the URL for iOS at \(payload.placeForMedia): \(place) is a picture for Android only")
    }
    let keys = payload.keysOfURLs(atMost: 3).map { "--media-key '\($0.replacing("'", with: #"'\''"#))'" }
    if keys.isEmpty, let (place, text) = payload.textInsteadOfURL {
      return Failure(
        .noMedia, "\(detail): the text at \(place) is not one",
        advice: Cause.url(text, completes: completes)?.advice ?? Reason.urlInvalid.advice)
    }
    if keys.isEmpty, let place = payload.urlInEnvelope {
      return Failure(
        .noMedia, detail,
        advice: "put the URL for iOS at \(payload.placeForMedia): \(place) is not read for iOS")
    }
    return Failure(
      .noMedia, detail,
      advice: keys.isEmpty
        ? nil : "if a medium is there, name its place: \(keys.joined(separator: " or "))")
  }

  /// The bytes have a type that iOS does not accept.
  static func unsupported(_ name: String) -> Failure {
    Failure(
      .typeUnsupported, "the bytes are \(name.withArticle)",
      // Ignores a quotation in the name, such as the title of a page: a stranger wrote it.
      advice: Cause.of(name.prefix { $0 != "“" }, in: Cause.bytes)?.advice)
  }

  static func tooManyPixels(
    _ format: MediaFormat, _ facts: MediaFacts, _ excess: SizeLimits.Excess, _ limits: SizeLimits
  ) -> Failure {
    let size = "\(format.displayName.withArticle) of \(facts.width ?? 0) × \(facts.height ?? 0) pixels"
    switch excess {
    case .side:
      let side = limits.side.asCount
      return Failure(
        .tooManyPixels, "\(size): a side may have \(side)",
        advice: "scale it down to \(side) pixels a side; --limits side= sets how many are accepted")
    case .pixels:
      let frames = facts.frames.flatMap { $0 > 1 ? " in \($0.asCount) frames" : nil }
      return Failure(
        .tooManyPixels,
        "\(size)\(frames ?? ""): \(frames == nil ? "it" : "all frames together") may have \(limits.pixels.asCount)",
        advice:
          "send a picture with fewer pixels\(frames == nil ? "" : " or frames"); --limits pixels= sets how many are accepted"
      )
    }
  }

  init(_ error: EnvelopeError) {
    self.init(error.isNothing ? .noAPS : .invalidPayload, "\(error)", advice: error.advice)
  }

  init(_ ineligibility: Ineligibility, of payload: Payload) {
    switch ineligibility {
    case .background:
      self.init(
        .notMutable, "it is a background push, which iOS does not hand to an extension",
        advice: "send it as an alert push if it is to be enriched")
    case .notMutable:
      let flag = Self.advice(onFlagAt: payload.flagPath)
      let advice =
        payload.apsWithoutMembers.map {
          "send \($0.place) as an object with \"mutable-content\": 1 in it: here it is \($0.kind.words)"
        } ?? payload.flagLookalike.map { "\($0) does not count for iOS: \(flag)" } ?? flag
      self.init(.notMutable, "it does not ask to be modified", advice: advice)
    case .noAlert: self.init(.noAlert, "it shows no alert")
    }
  }

  /// Apple's flag is a number. The flags of services are `true`.
  private static func advice(onFlagAt path: String) -> String {
    let apple = "mutable-content"
    if path == "aps.\(apple)" { return Reason.notMutable.advice }
    let change =
      path.hasSuffix(".\(apple)")
      ? "set \"\(apple)\": 1 in \(path.dropLast(apple.count + 1))" : "set \(path) to true"
    return "\(change) if it is to be enriched"
  }
}

extension Reason {
  fileprivate init(_ error: FetchError) {
    self =
      switch error {
      case .urlInvalid: .urlInvalid
      case .schemeNotAllowed, .downgradeNotAllowed: .schemeNotAllowed
      case .portNotAllowed: .portNotAllowed
      case .addressBlocked, .addressDenied: .addressBlocked
      case .dnsFailed: .dnsFailed
      case .connectFailed: .connectFailed
      case .tlsFailed: .tlsFailed
      case .httpStatus, .responseInvalid: .httpStatus
      case .redirectLimit, .redirectNeedsCookie: .redirectLimit
      case .headersTooLarge: .headersTooLarge
      case .bodyTooLarge: .bodyTooLarge
      case .bodyTruncated: .bodyTruncated
      case .hostUnhealthy: .hostUnhealthy
      case .encodingNotAllowed: .encodingNotAllowed
      case .stopped, .cancelled: .deadlineExceeded
      case .resourcesExhausted, .openFilesExhausted: .memoryExceeded
      }
  }
}
