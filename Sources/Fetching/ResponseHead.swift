internal import Supporting

/// The status line and the header fields of a response that a fetch looks at (RFC 9110).
///
/// Short whatever the server sends: what is kept of one is kept of the media of many payloads.
package struct ResponseHead: Sendable, Equatable {
  /// Bytes that are kept of a value for people.
  private static let maximumText = 200
  /// Bytes that are kept of what is said about reuse. Whoever says more is taken to say that there is none.
  private static let maximumReuseText = 1_024
  /// The fields that are read, by the lengths of their names; those in the second line say something about
  /// reuse (RFC 9111).
  private static let names = Dictionary(
    grouping: [
      "content-encoding", "content-length", "content-type", "location", "retry-after", "transfer-encoding",
      "age", "cache-control", "date", "etag", "expires", "last-modified", "pragma", "vary",
    ], by: \.utf8.count)

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
  /// What the server says about reuse: values by the names of their fields, in lower case.
  private(set) var reuseFields: [String: [String]] = [:]

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

  /// Whether the body is in this content coding and no other.
  package func isCoded(as coding: String) -> Bool { contentEncoding?.lowercased() == coding }

  /// Reads one line, with or without its line end. A blank one completes the head unless it was an
  /// informational one.
  /// - Throws: `FetchError.responseInvalid` for a status line that is none (RFC 9112 section 4), and when the
  ///   lengths contradict each other: whoever reads such a body reads something else than the next one (section
  ///   6.3). `FetchError.httpStatus` for a switch to another protocol, which nobody asked for.
  mutating func read(_ line: Span<UInt8>) throws(FetchError) {
    let line = line.extracting(line.beforeLineEnd)
    if line.isEmpty {
      if status == 101 { throw .httpStatus(status, retryAfter: nil) }
      isComplete = status >= 200
      awaitsStatus = !isComplete
    } else if line[0] == 0x20 || line[0] == 0x09 {
      // A field that goes on, as none may any more (RFC 9112 section 5.2): what it says is not known.
      forbidReuse()
    } else if awaitsStatus, line.count >= 5, line.extracting(..<5).spells("http/") {
      self = ResponseHead()
      awaitsStatus = false
      guard line.starts(with: "HTTP/"), let number = line.statusCode else {
        throw .responseInvalid(detail: "its status line is '\(line.asciiText.beginning(Self.maximumText))'")
      }
      status = number
    } else if let colon = line.indices.first(where: { line[$0] == UInt8(ascii: ":") }) {
      let field = line.extracting(..<colon)
      // Most fields are no matter, and need no text of their own.
      guard let name = Self.names[field.count]?.first(where: { field.spells($0) }) else { return }
      let rest = line.extracting((colon + 1)...)
      let value = rest.extracting(rest.withoutWhiteSpace)
      try readField(name, name == "location" ? value.text : value.asciiText)
    }
  }

  private mutating func readField(_ name: String, _ value: String) throws(FetchError) {
    switch name {
    case "content-type": contentType = value.beginning(Self.maximumText)
    case "content-encoding":
      contentEncoding = [contentEncoding, value].joined.beginning(Self.maximumText)
    // One byte too many is enough for whoever reads it as a URL.
    case "location": location = location ?? value.beginning(RemoteURL.maximumLength + 1)
    case "retry-after": hasRetryAfter = true
    case "transfer-encoding":
      transferEncoding = [transferEncoding, value].joined.beginning(Self.maximumText)
    case "content-length":
      guard value.utf8.allSatisfy(\.isASCIIDigit), let length = Int(value),
        contentLength == nil || contentLength == length
      else {
        throw .responseInvalid(
          detail: "its Content-Length is '\(value.prefix(40))', after another or no number")
      }
      contentLength = length
    default: keepForReuse(name, value)
    }
    if contentLength != nil, transferEncoding != nil {
      throw .responseInvalid(detail: "it has a Content-Length and a Transfer-Encoding")
    }
  }
}

extension ResponseHead {
  private mutating func keepForReuse(_ name: String, _ value: String) {
    // Empty ones take memory too.
    let size = reuseFields.values.joined().reduce(value.utf8.count) { $0 + $1.utf8.count + 16 }
    if size <= Self.maximumReuseText {
      // What most responses have, at once.
      if reuseFields.isEmpty { reuseFields.reserveCapacity(4) }
      reuseFields[name, default: []].append(value)
    } else {
      forbidReuse()
    }
  }

  private mutating func forbidReuse() { reuseFields = ["cache-control": ["no-store"]] }
}

extension [String?] {
  /// One list of several fields of the same name (RFC 9110 section 5.3).
  fileprivate var joined: String { compactMap { $0 }.joined(separator: ", ") }
}

extension Span<UInt8> {
  fileprivate var beforeLineEnd: Range<Int> {
    var end = count
    while end > 0, self[end - 1] == 0x0a || self[end - 1] == 0x0d { end -= 1 }
    return 0..<end
  }

  /// Without what may stand around a field value (RFC 9110 section 5.5).
  fileprivate var withoutWhiteSpace: Range<Int> {
    var (start, end) = (0, count)
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return start..<end
  }

  /// Three digits between the first spaces and the next; nil where something else stands there.
  fileprivate var statusCode: Int? {
    var start = 0
    while start < count, self[start] != 0x20 { start += 1 }
    while start < count, self[start] == 0x20 { start += 1 }
    var end = start
    while end < count, self[end] != 0x20 { end += 1 }
    guard end - start == 3, (start..<end).allSatisfy({ self[$0].isASCIIDigit }) else { return nil }
    return (start..<end).reduce(0) { 10 * $0 + Int(self[$1] - 0x30) }
  }

  fileprivate var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// With U+FFFD for each byte that is none of ASCII: nobody knows what it stands for (RFC 9110 section 5.5),
  /// and a `String` of such text may take long to compare.
  fileprivate var asciiText: String {
    if indices.allSatisfy({ self[$0] < 0x80 }) { return text }
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe String(decoding: bytes.lazy.map { $0 < 0x80 ? $0 : 0xFF }, as: UTF8.self)
    }
  }

  /// Whether it is `name`, which is in lower case, in any case of ASCII letters.
  fileprivate func spells(_ name: String) -> Bool {
    count == name.utf8.count
      && zip(indices, name.utf8).allSatisfy { self[$0].lowercasedASCII == $1 }
  }

  fileprivate func starts(with text: String) -> Bool {
    count >= text.utf8.count && zip(indices, text.utf8).allSatisfy { self[$0] == $1 }
  }
}
