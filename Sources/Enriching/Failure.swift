internal import Decrypting
internal import Fetching
internal import Notifications
internal import Storing

/// A step that came to nothing: the reason of the contract, and what happened to what.
package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  package let reason: Reason
  /// One clause, without what to do about it: that is the reason's.
  package let detail: String
  private let ownAdvice: String?

  /// - Parameter advice: what to do, where that can be said better than for the reason in general.
  package init(_ reason: Reason, _ detail: String, advice: String? = nil) {
    self.reason = reason
    self.detail = detail
    ownAdvice = advice
  }

  /// What whoever sent the push, or runs this, can do about it.
  package var advice: String { ownAdvice ?? reason.advice }

  package var description: String { "\(reason.rawValue): \(detail)" }
}

extension Failure {
  init(_ error: FetchError) {
    switch error {
    case .urlInvalid(let detail): self.init(.urlInvalid, "this is no URL that can be fetched: \(detail)")
    case .schemeNotAllowed("aesgcm"):
      self.init(
        .schemeNotAllowed,
        "'aesgcm' is fetched for encrypted content only: here everybody could read the key in the URL",
        advice: "put the media into encrypted content; push-enricher seal makes examples")
    case .schemeNotAllowed(let scheme): self.init(.schemeNotAllowed, "'\(scheme)' is not fetched")
    case .portNotAllowed(let port): self.init(.portNotAllowed, "port \(port) is not connected to")
    case .addressBlocked(let address, let purpose):
      self.init(.addressBlocked, "\(address) is not on the public internet (\(purpose))")
    case .dnsFailed(let host, let detail, _): self.init(.dnsFailed, "\(host) was not resolved: \(detail)")
    case .connectFailed(let detail, _): self.init(.connectFailed, detail)
    case .tlsFailed(let detail): self.init(.tlsFailed, detail)
    case .httpStatus(let status, let seconds?) where seconds > 0:
      self.init(.httpStatus, "the server answered \(status) and asks to come back in \(seconds) s")
    case .httpStatus(let status, _): self.init(.httpStatus, "the server answered \(status)")
    case .responseInvalid(let detail):
      self.init(.httpStatus, "the server's answer is no valid HTTP: \(detail)")
    case .redirectLimit(let maximum): self.init(.redirectLimit, "more than \(maximum) redirects")
    case .headersTooLarge(let maximum): self.init(.headersTooLarge, "more than \(maximum) bytes of headers")
    case .bodyTooLarge(let maximum, let announced?):
      self.init(
        .bodyTooLarge, "\(announced) bytes are announced, \(maximum) are the most that iOS takes of anything")
    case .bodyTooLarge(let maximum, nil):
      self.init(.bodyTooLarge, "more than \(maximum) bytes, the most that iOS takes of anything")
    case .bodyTruncated(let received, let announced?):
      self.init(.bodyTruncated, "the body ended after \(received) of \(announced) bytes")
    case .bodyTruncated(let received, nil):
      self.init(.bodyTruncated, "the connection broke after \(received) bytes of the body")
    case .hostUnhealthy(let host, let refusal): self.init(.hostUnhealthy, "\(host) \(refusal)")
    case .tooSlow(let missing):
      self.init(.deadlineExceeded, "\(missing) bytes were missing, too many for the time that was left")
    case .encodingNotAllowed(let encoding):
      self.init(.encodingNotAllowed, "the server sent Content-Encoding '\(encoding)'")
    case .stopped, .cancelled: self.init(.deadlineExceeded, "it was given up before it was complete")
    case .resourcesExhausted(let detail): self.init(.memoryExceeded, detail)
    }
  }

  /// The same for whatever went wrong: neither a sender nor a log learns more than that it did.
  init(_ error: DecryptingError) {
    switch error {
    case .keyUnknown: self.init(.keyUnknown, "it is encrypted for a key that is not here")
    case .failed, .keyInvalid, .answersOtherwise:
      self.init(.decryptFailed, "what is encrypted could not be decrypted")
    }
  }

  init(_ error: StoreError) { self.init(.storeFailed, "\(error)", advice: error.advice) }

  init(_ error: AttachingError) {
    switch error {
    case .keyTaken: self.init(.attachmentsKeyTaken, "\(error)")
    case .tooLarge: self.init(.payloadTooLarge, "\(error)")
    }
  }

  init(_ ineligibility: Ineligibility) {
    switch ineligibility {
    case .background:
      self.init(
        .notMutable, "it is a background push, which iOS hands to no extension",
        advice: "send it as an alert push if it is to be enriched")
    case .notMutable: self.init(.notMutable, "it does not ask to be modified")
    case .noAlert: self.init(.noAlert, "it shows no alert")
    }
  }
}
