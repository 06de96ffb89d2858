/// The parts of a response head that a fetch needs (RFC 9110). Stays small whatever servers send
/// (`TaskPool`).
package struct ResponseHead: Sendable, Equatable {
  /// Bytes kept of a value that people read.
  private static let maximumText = 200
  private static let protocolName = Array("HTTP/".utf8)
  private static let anyProtocol = Array("http/".utf8)

  package internal(set) var status = 0
  package internal(set) var contentType: String?
  package internal(set) var contentLength: Int?
  var location: String?
  /// Whether the field is present. libcurl parses its value.
  private(set) var hasRetryAfter = false
  private(set) var setsCookie = false
  private var contentEncoding: String?
  private var transferEncoding: String?
  private(set) var isComplete = false
  /// True at the start and after an informational head. Elsewhere, a status line is just a field.
  private var awaitsStatus = true
  private(set) var reuse = ReuseFields()

  init() {}

  /// See RFC 9110 section 15.4. 300 and 304 are not followed.
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && location != nil }

  /// Returns an encoding other than `coding`. A transfer encoding other than chunked also counts,
  /// because libcurl would decode it unasked.
  func foreignEncoding(besides coding: String?) -> (field: String, encoding: String)? {
    if let contentEncoding, ContentCoding.codings(in: contentEncoding) != [], !isCoded(as: coding ?? "") {
      return ("Content-Encoding", contentEncoding)
    }
    return transferEncoding.flatMap { isChunked ? nil : ("Transfer-Encoding", $0) }
  }

  var hasNoBody: Bool { [204, 304].contains(status) }
  var isChunked: Bool { transferEncoding?.lowercased() == "chunked" }
  package func isCoded(as coding: String) -> Bool {
    contentEncoding.flatMap(ContentCoding.codings) == [coding]
  }

  /// Reads one line, and returns whether it completes the head. Ignores trailers.
  /// - Throws: `FetchError.responseInvalid` for a bad status line (RFC 9112 section 4) or
  ///   contradictory lengths (section 6.3); `.httpStatus` for a switch to another protocol.
  @discardableResult
  mutating func read(_ line: Span<UInt8>) throws(FetchError) -> Bool {
    if isComplete { return false }
    let line = line.extracting(line.beforeLineEnd)
    if line.isEmpty {
      if status == 101 { throw .httpStatus(status, retryAfter: nil) }
      isComplete = status >= 200
      awaitsStatus = !isComplete
    } else if line[0] == 0x20 || line[0] == 0x09 {
      // A folded field, which is obsolete (RFC 9112 section 5.2). Its meaning is unknown.
      reuse.forbid()
    } else if awaitsStatus, line.count >= 5, line.extracting(..<5).spells(Self.anyProtocol) {
      self = ResponseHead()
      awaitsStatus = false
      guard line.starts(with: Self.protocolName), let number = line.extracting(5...).statusCode else {
        throw .responseInvalid(detail: "its status line is '\(line.asciiText.beginning(Self.maximumText))'")
      }
      status = number
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let field = HeaderField(line.extracting(..<colon))
    {
      let rest = line.extracting((colon + 1)...)
      try read(field, rest.extracting(rest.withoutWhiteSpace))
    }
    return isComplete
  }

  private mutating func read(_ field: HeaderField, _ value: Span<UInt8>) throws(FetchError) {
    switch field {
    case .contentType: contentType = value.asciiText.beginning(Self.maximumText)
    case .contentEncoding: contentEncoding = Self.list(contentEncoding, value)
    // Keeps one byte more than allowed, so that `RemoteURL` refuses a value that is too long.
    case .location:
      location =
        location
        ?? value.extracting(..<min(value.count, RemoteURL.maximumLength + 1)).urlText.beginning(
          RemoteURL.maximumLength + 1)
    case .retryAfter: hasRetryAfter = true
    case .setCookie: setsCookie = true
    case .transferEncoding: transferEncoding = Self.list(transferEncoding, value)
    case .contentLength:
      guard let length = value.decimal, contentLength == nil || contentLength == length else {
        throw .responseInvalid(
          detail: "its Content-Length is '\(value.asciiText.prefix(40))', after another or no number")
      }
      contentLength = length
    case .age, .cacheControl, .date, .etag, .expires, .lastModified, .pragma, .vary:
      reuse.add(field, value.asciiText)
    }
    if contentLength != nil, transferEncoding != nil {
      throw .responseInvalid(detail: "it has a Content-Length and a Transfer-Encoding")
    }
  }

  /// Several fields of the same name form one list (RFC 9110 section 5.3).
  private static func list(_ first: String?, _ value: Span<UInt8>) -> String {
    ((first.map { "\($0), " } ?? "") + value.asciiText).beginning(maximumText)
  }
}

extension String {
  /// Returns at most the first `count` bytes. The result does not keep the rest in memory.
  func beginning(_ count: Int) -> String {
    utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}
