/// Applies the edits of all steps to all payloads of a message at once. Keeps every other byte.
package struct Rewriter {
  private let message: JSONDocument
  private var edits: [JSONEdit] = []

  package init(_ payload: Payload) { message = payload.message }
  package init(_ message: PushMessage) { self.message = message.document }

  /// Adds edits of a payload.
  /// - Parameter maximumSize: in bytes, of the changed payload. See `PushType.maximumPayloadSize`.
  package mutating func change(
    _ payload: Payload, _ edits: [JSONEdit], maximumSize: Int = .max
  ) throws(RewritingError) {
    try payload.check(edits, maximumSize: maximumSize)
    let text = payload.strings.reduce(nil as EmbeddedJSON?) { EmbeddedJSON($1, in: $0) }
    self.edits += text.map { edits.map($0.lift) } ?? edits
  }

  /// The message with all edits applied.
  /// - Throws: `RewritingError.overlapping`.
  package func bytes() throws(RewritingError) -> [UInt8] {
    let edits = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var result: [UInt8] = []
    result.reserveCapacity(max(0, edits.reduce(message.bytes.count) { $0 + $1.growth }))
    var start = 0
    for edit in edits {
      guard edit.range.lowerBound >= start else { throw .overlapping }
      result += message.bytes[start..<edit.range.lowerBound]
      result += edit.replacement
      start = edit.range.upperBound
    }
    result += message.bytes[start...]
    return result
  }
}

extension Payload {
  package func applying(_ edits: [JSONEdit], maximumSize: Int = .max) throws(RewritingError) -> [UInt8] {
    var rewriter = Rewriter(self)
    try rewriter.change(self, edits, maximumSize: maximumSize)
    return try rewriter.bytes()
  }

  /// Checks the size after `edits` without applying them: thousands of members with the same name could each get
  /// a new value. Where the size limit does not count the bytes, a shorter text makes no room.
  /// - Throws: `RewritingError.tooLarge`.
  package func check(_ edits: [JSONEdit], maximumSize: Int) throws(RewritingError) {
    // Only a text that shrinks has to be in one of them. Most edits only add.
    let counted = edits.contains { $0.growth < 0 } ? countedRanges : []
    let size = edits.reduce(size) { sum, edit in
      let isCounted = counted.contains {
        $0.lowerBound <= edit.range.lowerBound && edit.range.upperBound <= $0.upperBound
      }
      return sum + (isCounted ? edit.growth : max(0, edit.growth))
    }
    guard size <= maximumSize else { throw .tooLarge(size: size, maximum: maximumSize) }
  }
}

/// Why a payload cannot be rewritten.
package enum RewritingError: Error, Equatable, CustomStringConvertible {
  /// The sender used that name for a member, which is never overwritten.
  case keyTaken(String)
  /// That name has a list of attachments.
  case alreadyEnriched(String)
  /// In bytes.
  case tooLarge(size: Int, maximum: Int)
  case overlapping

  package var description: String {
    switch self {
    case .keyTaken(let key): "the payload has a member “\(key)” already; attachments need a name of their own"
    case .alreadyEnriched(let key):
      "the payload has been enriched before: it has a list of attachments, “\(key)”"
    case .tooLarge(let size, let maximum):
      "the enriched payload would be \(size) bytes, \(size - maximum) more than the \(maximum) \(Self.owner(of: maximum))"
    case .overlapping: "two changes to the payload overlap"
    }
  }

  private static func owner(of maximum: Int) -> String {
    PushType.allCases.contains { $0.maximumPayloadSize == maximum }
      ? "that APNs takes" : "that are left after the push queue adds its mark"
  }
}
