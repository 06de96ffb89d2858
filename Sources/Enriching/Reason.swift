/// Why a payload went out unmodified. The raw values are stable: users count and match on them.
package enum Reason: String, Sendable, CaseIterable {
  case notMutable = "not-mutable"
  case noAlert = "no-alert"
  case noAPS = "no-aps"
  case noMedia = "no-media"
  case urlInvalid = "url-invalid"
  case schemeNotAllowed = "scheme-not-allowed"
  case portNotAllowed = "port-not-allowed"
  case addressBlocked = "address-blocked"
  case dnsFailed = "dns-failed"
  case connectFailed = "connect-failed"
  case tlsFailed = "tls-failed"
  case hostUnhealthy = "host-unhealthy"
  case httpStatus = "http-status"
  case redirectLimit = "redirect-limit"
  case headersTooLarge = "headers-too-large"
  case bodyTooLarge = "body-too-large"
  case tooManyPixels = "too-many-pixels"
  case bodyTruncated = "body-truncated"
  case encodingNotAllowed = "encoding-not-allowed"
  case typeUnsupported = "type-unsupported"
  case decryptFailed = "decrypt-failed"
  case keyUnknown = "key-unknown"
  case storeFailed = "store-failed"
  case payloadTooLarge = "payload-too-large"
  case attachmentsKeyTaken = "attachments-key-taken"
  case deadlineExceeded = "deadline-exceeded"
  case memoryExceeded = "memory-exceeded"
  case invalidPayload = "invalid-payload"
  case poison

  /// Whether the payload asked for media and did not get it. Otherwise nothing is wrong.
  package var isFailure: Bool {
    switch self {
    case .notMutable, .noAlert, .noMedia, .noAPS: false
    default: true
    }
  }

  /// Whether this machine failed, and not the medium or its host. A device may still be able to fetch the medium.
  var isOurs: Bool {
    switch self {
    case .storeFailed, .deadlineExceeded, .memoryExceeded: true
    default: false
    }
  }

  /// What the sender of the push, or the operator, can do about it.
  package var advice: String {
    switch self {
    case .notMutable: #"set "mutable-content": 1 in aps if it is to be enriched"#
    case .noAlert:
      "give the alert a title, a subtitle or a body: iOS lets an extension touch only what it shows"
    case .noMedia: "if it contains a media URL, name the place with --media-key: its shape is not known"
    case .noAPS: "name the place of the payload with --payload-at, such as data.push"
    case .urlInvalid: "send an absolute URL that starts with https://"
    case .schemeNotAllowed: "serve the media over https, or allow http with --allow-http"
    case .portNotAllowed: "serve the media on port 443, or allow the port with --allow-port"
    case .addressBlocked: "serve the media from a public address"
    case .dnsFailed: "check the host name and the name servers"
    case .connectFailed: "check that the server is up and reachable from here"
    case .tlsFailed: "check the server's certificate; --ca-file adds a certificate authority of your own"
    case .hostUnhealthy:
      "check the host, or serve the media from another: it is used again as soon as it answers"
    case .httpStatus: "check that the URL answers 200 without cookies or a login"
    case .redirectLimit: "send the URL that the redirects lead to"
    case .headersTooLarge: "have the server send fewer or shorter headers: no media needs that many"
    case .bodyTooLarge: "send a smaller file; --limits sets the accepted sizes"
    case .tooManyPixels: "send it with fewer pixels; --limits sets how many are accepted"
    case .bodyTruncated: "check the server: it ended the body early, or sends no Content-Length"
    case .encodingNotAllowed:
      "have the server send the file as it is, without an encoding that was not asked for"
    case .typeUnsupported:
      "send JPEG, PNG or GIF; MP4 with H.264 and AAC, MPEG or AVI; MP3, M4A, AIFF or WAVE"
    case .decryptFailed:
      "check that the sender uses the key and the format that --keys has under this name, or that the medium's entry has; push-enricher seal makes examples"
    case .keyUnknown: "give the key with --keys or --keys-dir, under the name that the sender uses"
    case .storeFailed: "fix the store, then send it again"
    case .payloadTooLarge: "shorten the payload, or the URLs with a shorter --public-url"
    case .attachmentsKeyTaken: "choose another name with --attachments-key"
    case .deadlineExceeded: "raise --deadline if it is below 30s, or have one payload name fewer media"
    case .memoryExceeded: "allow more memory with --memory, or fewer downloads at once with --concurrency"
    case .invalidPayload: "fix the program that put it into the queue: dead-letters show prints the message"
    case .poison:
      "check the log for how its workers ended: if this payload ended them, keep it (dead-letters show) and report it"
    }
  }

  /// What iOS would do, or tell an extension, with the same medium: a `UNError.Code` if there is
  /// one.
  package var deviceAnswer: String {
    switch self {
    case .notMutable, .noAlert, .noAPS: "iOS would not call the extension"
    case .urlInvalid: "UNError 100 attachmentInvalidURL"
    case .typeUnsupported: "UNError 101 attachmentUnrecognizedType"
    case .bodyTooLarge: "UNError 102 attachmentInvalidFileSize"
    case .tooManyPixels:
      "iOS would kill the extension, or show the original payload, once it is decoded"
    case .storeFailed: "UNError 104 attachmentMoveIntoDataStoreFailed"
    case .bodyTruncated: "UNError 105 attachmentCorrupt"
    case .deadlineExceeded: "iOS would end the extension after 30 s and show the original payload"
    case .memoryExceeded: "iOS would kill the extension and show the original payload"
    case .invalidPayload: "unknown: push-enricher cannot read what would be sent"
    case .payloadTooLarge: "APNs would refuse the payload (413 PayloadTooLarge)"
    default: "the extension would have no file to attach"
    }
  }
}
