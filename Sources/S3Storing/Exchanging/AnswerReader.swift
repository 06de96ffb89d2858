internal import Supporting

/// Puts an answer together from the lines and pieces that libcurl hands out.
struct AnswerReader {
  private let url: ServiceURL
  private var status = 0
  private var headers: [HTTPField] = []
  private var body: [UInt8] = []
  /// How many bytes of the body have arrived.
  private(set) var bodyBytes = 0
  private var headBytes = 0
  /// Whether the next line has to be a status line.
  private var awaitsStatus = true
  /// Whether the head of the final answer is complete.
  private(set) var hasHead = false

  init(from url: ServiceURL) { self.url = url }

  var hasBegun: Bool { headBytes > 0 }

  var answer: HTTPAnswer {
    HTTPAnswer(status: status, headers: headers, body: body, isCut: body.count < bodyBytes)
  }
  /// The announced length, or nil.
  var bodyLength: Int? { answer["Content-Length"].flatMap { Int($0) } }

  mutating func take(line: Span<UInt8>) throws(HTTPFailure) {
    headBytes += line.count
    guard headBytes <= HTTPClient.maximumHead else { throw .headTooLong(url) }
    // Trailers contain nothing that is needed here.
    if hasHead { return }
    var end = line.count
    while end > 0, [0x0A, 0x0D].contains(line[end - 1]) { end -= 1 }
    let text = unsafe line.extracting(..<end).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    if awaitsStatus {
      try take(status: text)
    } else if text.isEmpty {
      hasHead = status >= 200
      // An interim answer (RFC 9110 section 15.2).
      if !hasHead { (headers, awaitsStatus) = ([], true) }
    } else if text.first == " " || text.first == "\t", let last = headers.popLast() {
      // A folded line (RFC 9112 section 5.2).
      headers.append(HTTPField(last.name, "\(last.value) \(text.withoutSpaces)"))
    } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      headers.append(
        HTTPField(String(text[..<colon]), String(text[text.utf8.index(after: colon)...].withoutSpaces)))
    }
  }

  /// Reads a status line (RFC 9112 section 4).
  private mutating func take(status line: String) throws(HTTPFailure) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, ["HTTP/1.1", "HTTP/1.0"].contains(words[0]), words[1].utf8.count == 3,
      let number = Int(words[1]), number != 101, 100...999 ~= number
    else { throw .notHTTP(url) }
    (status, awaitsStatus) = (number, false)
  }

  /// Keeps only the beginning. The status of a long error page says enough.
  mutating func take(piece: Span<UInt8>) {
    bodyBytes += piece.count
    let start = piece.extracting(first: HTTPClient.maximumAnswer - body.count)
    unsafe start.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
  }
}

extension HTTPFailure {
  static func headTooLong(_ url: ServiceURL) -> Self {
    .unusable(url, "answers with more than \(HTTPClient.maximumHead.asBytes) of headers")
  }

  static func notHTTP(_ url: ServiceURL) -> Self { .unusable(url, "does not speak HTTP") }
}

extension StringProtocol {
  /// The text without white space around it (RFC 9110 section 5.5).
  fileprivate var withoutSpaces: SubSequence {
    let isText = { (character: Character) in character != " " && character != "\t" }
    guard let start = firstIndex(where: isText), let end = lastIndex(where: isText) else { return prefix(0) }
    return self[start...end]
  }
}
