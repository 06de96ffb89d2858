internal import Fetching
internal import Notifications
internal import Storing

/// A step that came to nothing: the reason of the contract, and what happened to what.
package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  package let reason: Reason
  /// One clause, without what to do about it: that is the reason's.
  package let detail: String

  package init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  package var description: String { "\(reason.rawValue): \(detail)" }
}

extension Failure {
  init(_ error: FetchError) {
    switch error {
    case .urlInvalid(let detail): self.init(.urlInvalid, "this is no URL that can be fetched: \(detail)")
    case .schemeNotAllowed(let scheme): self.init(.schemeNotAllowed, "'\(scheme)' is not fetched")
    case .portNotAllowed(let port): self.init(.portNotAllowed, "port \(port) is not connected to")
    case .addressBlocked(let address, let purpose):
      self.init(.addressBlocked, "\(address) is not on the public internet (\(purpose))")
    case .dnsFailed(let host, let detail, _): self.init(.dnsFailed, "\(host) was not resolved: \(detail)")
    case .connectFailed(let detail, _): self.init(.connectFailed, detail)
    case .tlsFailed(let detail): self.init(.tlsFailed, detail)
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
    case .encodingNotAllowed(let encoding):
      self.init(.encodingNotAllowed, "the server sent Content-Encoding '\(encoding)'")
    case .stopped, .cancelled: self.init(.deadlineExceeded, "it was given up before it was complete")
    case .resourcesExhausted(let detail): self.init(.memoryExceeded, detail)
    }
  }

  init(_ error: StoreError) { self.init(.storeFailed, "\(error)") }

  init(_ error: AttachingError) {
    switch error {
    case .keyTaken: self.init(.attachmentsKeyTaken, "\(error)")
    case .tooLarge: self.init(.payloadTooLarge, "\(error)")
    }
  }

  init(_ ineligibility: Ineligibility) {
    switch ineligibility {
    case .notMutable: self.init(.notMutable, "it does not ask to be modified")
    case .noAlert: self.init(.noAlert, "it shows no alert")
    }
  }
}
