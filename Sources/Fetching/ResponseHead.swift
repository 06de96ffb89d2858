/// The status line and the header fields of a response that a fetch looks at (RFC 9110).
///
/// Short whatever the server sends: what is kept of one is kept of the media of many payloads.
package struct ResponseHead: Sendable, Equatable {
  /// Bytes that are kept of a value for people.
  private static let maximumText = 200
  private static let protocolName = Array("HTTP/".utf8)
  /// The same in lower case.
  private static let anyProtocol = Array("http/".utf8)

  package internal(set) var status = 0
  /// The media type as the server labels the body, with its parameters.
  package internal(set) var contentType: String?
  /// In bytes.
  package internal(set) var contentLength: Int?
  var location: String?
  /// Whether it says when to come back, which libcurl reads.
  private(set) var hasRetryAfter = false
  private var contentEncoding: String?
  private var transferEncoding: String?
  private(set) var isComplete = false
  /// Whether a status line may come: first of all, and after an informational head. Elsewhere it is a field
  /// like any other.
  private var awaitsStatus = true
  private(set) var reuse = ReuseFields()

  init() {}

  /// Whether the body is to be fetched elsewhere (RFC 9110 section 15.4; 300 and 304 are not followed).
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && location != nil }

  /// An encoding that was not asked for. libcurl would undo one of the transfer unasked: it is refused like
  /// one of the content.
  /// - Parameter coding: the one that whoever takes the body undoes.
  func foreignEncoding(besides coding: String?) -> (field: String, encoding: String)? {
    if let contentEncoding, !["", "identity", coding].contains(contentEncoding.lowercased()) {
      return ("Content-Encoding", contentEncoding)
    }
    if let transferEncoding, transferEncoding.lowercased() != "chunked" {
      return ("Transfer-Encoding", transferEncoding)
    }
    return nil
  }

  /// Whether it ends with its head, whatever that says (RFC 9112 section 6.3).
  var hasNoBody: Bool { [204, 304].contains(status) }

  /// Whether chunks mark the end of the body (RFC 9112 section 7.1).
  var isChunked: Bool { transferEncoding?.lowercased() == "chunked" }

  /// Whether the body is in this content coding and no other.
  package func isCoded(as coding: String) -> Bool { contentEncoding?.lowercased() == coding }

  /// Reads one line, with or without its line end. A blank one completes the head unless it was an
  /// informational one; what comes behind are trailers, which mean nothing.
  /// - Returns: whether it is the one that completes the head.
  /// - Throws: `FetchError.responseInvalid` for a status line that is none (RFC 9112 section 4), and when the
  ///   lengths contradict each other: whoever reads such a body reads something else than the next one (section
  ///   6.3). `FetchError.httpStatus` for a switch to another protocol, which nobody asked for.
  @discardableResult
  mutating func read(_ line: Span<UInt8>) throws(FetchError) -> Bool {
    if isComplete { return false }
    let line = line.extracting(line.beforeLineEnd)
    if line.isEmpty {
      if status == 101 { throw .httpStatus(status, retryAfter: nil) }
      isComplete = status >= 200
      awaitsStatus = !isComplete
    } else if line[0] == 0x20 || line[0] == 0x09 {
      // A field that goes on, as none may any more (RFC 9112 section 5.2): what it says is not known.
      reuse.forbid()
    } else if awaitsStatus, line.count >= 5, line.extracting(..<5).spells(Self.anyProtocol) {
      self = ResponseHead()
      awaitsStatus = false
      guard line.starts(with: Self.protocolName),
        let number = line.extracting(Self.protocolName.count...).statusCode
      else {
        throw .responseInvalid(detail: "its status line is '\(line.asciiText.beginning(Self.maximumText))'")
      }
      status = number
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let field = HeaderField(line.extracting(..<colon))
    {
      // Most fields are no matter, and need no text of their own.
      let rest = line.extracting((colon + 1)...)
      try read(field, rest.extracting(rest.withoutWhiteSpace))
    }
    return isComplete
  }

  private mutating func read(_ field: HeaderField, _ value: Span<UInt8>) throws(FetchError) {
    switch field {
    case .contentType: contentType = value.asciiText.beginning(Self.maximumText)
    case .contentEncoding:
      contentEncoding = [contentEncoding, value.asciiText].joined.beginning(Self.maximumText)
    // One byte too many is enough for whoever reads it as a URL.
    case .location: location = location ?? value.text.beginning(RemoteURL.maximumLength + 1)
    case .retryAfter: hasRetryAfter = true
    case .transferEncoding:
      transferEncoding = [transferEncoding, value.asciiText].joined.beginning(Self.maximumText)
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
}

extension [String?] {
  /// One list of several fields of the same name (RFC 9110 section 5.3).
  fileprivate var joined: String { compactMap { $0 }.joined(separator: ", ") }
}
