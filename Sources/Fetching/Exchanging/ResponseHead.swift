/// The status line and the header fields of a response that a fetch looks at (RFC 9110).
/// Short whatever the server sends: see "Memory" in `Fetcher`.
package struct ResponseHead: Sendable, Equatable {
  /// Bytes that are kept of a value for people.
  private static let maximumText = 200
  private static let protocolName = Array("HTTP/".utf8)
  private static let anyProtocol = Array("http/".utf8)

  package internal(set) var status = 0
  /// The media type as the server labels the body, with its parameters.
  package internal(set) var contentType: String?
  package internal(set) var contentLength: Int?
  var location: String?
  /// Whether it says when to come back, which libcurl reads.
  private(set) var hasRetryAfter = false
  private var contentEncoding: String?
  private var transferEncoding: String?
  private(set) var isComplete = false
  /// A status line may come first of all, and after an informational head. Elsewhere it is a field like any
  /// other.
  private var awaitsStatus = true
  private(set) var reuse = ReuseFields()

  init() {}

  /// Whether the body is to be fetched elsewhere (RFC 9110 section 15.4; 300 and 304 are not followed).
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && location != nil }

  /// libcurl would undo a transfer encoding unasked: it is refused like a content encoding other than
  /// `coding`.
  func foreignEncoding(besides coding: String?) -> (field: String, encoding: String)? {
    if let contentEncoding, !["", "identity", coding].contains(contentEncoding.lowercased()) {
      return ("Content-Encoding", contentEncoding)
    }
    return transferEncoding.flatMap { isChunked ? nil : ("Transfer-Encoding", $0) }
  }

  var hasNoBody: Bool { [204, 304].contains(status) }

  /// Whether chunks mark the end of the body (RFC 9112 section 7.1).
  var isChunked: Bool { transferEncoding?.lowercased() == "chunked" }

  package func isCoded(as coding: String) -> Bool { contentEncoding?.lowercased() == coding }

  /// Reads one line, and says whether it completes the head. Trailers mean nothing.
  /// - Throws: `FetchError.responseInvalid` for a bad status line (RFC 9112 section 4), and if the lengths
  ///   contradict each other (section 6.3); `.httpStatus` for a switch to another protocol.
  @discardableResult
  mutating func read(_ line: Span<UInt8>) throws(FetchError) -> Bool {
    if isComplete { return false }
    let line = line.extracting(line.beforeLineEnd)
    if line.isEmpty {
      if status == 101 { throw .httpStatus(status, retryAfter: nil) }
      isComplete = status >= 200
      awaitsStatus = !isComplete
    } else if line[0] == 0x20 || line[0] == 0x09 {
      // A field that goes on, as none may any more (RFC 9112 section 5.2): its meaning is not known.
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
      let rest = line.extracting((colon + 1)...)
      try read(field, rest.extracting(rest.withoutWhiteSpace))
    }
    return isComplete
  }

  private mutating func read(_ field: HeaderField, _ value: Span<UInt8>) throws(FetchError) {
    switch field {
    case .contentType: contentType = value.asciiText.beginning(Self.maximumText)
    case .contentEncoding: contentEncoding = Self.list(contentEncoding, value)
    // One byte too many is enough for whoever reads it as a URL.
    case .location: location = location ?? value.text.beginning(RemoteURL.maximumLength + 1)
    case .retryAfter: hasRetryAfter = true
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

  /// Several fields of the same name are one list (RFC 9110 section 5.3).
  private static func list(_ first: String?, _ value: Span<UInt8>) -> String {
    ((first.map { "\($0), " } ?? "") + value.asciiText).beginning(maximumText)
  }
}

extension String {
  /// Up to `count` bytes from its start, in memory of their own.
  func beginning(_ count: Int) -> String {
    utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}

/// The header fields of a response that are read; their names are in lower case (RFC 9110 section 5.1).
enum HeaderField: String, CaseIterable {
  case contentEncoding = "content-encoding"
  case contentLength = "content-length"
  case contentType = "content-type"
  case location
  case retryAfter = "retry-after"
  case transferEncoding = "transfer-encoding"

  // These say something about reuse (RFC 9111).
  case age
  case cacheControl = "cache-control"
  case date
  case etag
  case expires
  case lastModified = "last-modified"
  case pragma
  case vary

  private static let named = allCases.map { (name: Array($0.rawValue.utf8), field: $0) }

  /// - Returns: nil for a field that is not read.
  init?(_ name: Span<UInt8>) {
    guard let known = Self.named.first(where: { name.spells($0.name) }) else { return nil }
    self = known.field
  }
}

/// What a response says about its reuse (RFC 9111). With more than a kilobyte of that, it is not reused.
package struct ReuseFields: Sendable, Equatable {
  private struct Said: Equatable {
    let field: HeaderField
    let value: String
  }

  private static let maximumText = 1_024

  private var said: [Said] = []

  /// Values by the names of their fields, in lower case.
  package var values: [String: [String]] {
    Dictionary(grouping: said, by: \.field.rawValue).mapValues { $0.map(\.value) }
  }

  /// - Parameter value: without white space around it.
  mutating func add(_ field: HeaderField, _ value: String) {
    // Empty ones take memory too.
    let size = said.reduce(value.utf8.count) { $0 + $1.value.utf8.count + 16 }
    guard size <= Self.maximumText else { return forbid() }
    // As many as most responses have.
    if said.isEmpty { said.reserveCapacity(4) }
    said.append(Said(field: field, value: value))
  }

  /// Has the response not be reused, whatever else it says.
  mutating func forbid() { said = [Said(field: .cacheControl, value: "no-store")] }
}
