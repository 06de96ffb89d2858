/// Turns a JSON text into a tape, without recursion. Its state is what it expects next.
struct JSONParser {
  /// Enough for most payloads. Counting the nodes of a text first takes as long as reading it.
  private static let fewNodes = 32
  private let maximumDepth: Int
  private var scanner: JSONScanner
  private var nodes: [JSONNode] = []
  /// The indices of the entries of brackets that are still open.
  private var open: [Int] = []

  init(_ bytes: [UInt8], maximumDepth: Int) {
    (self.maximumDepth, scanner) = (maximumDepth, JSONScanner(bytes: bytes))
  }

  mutating func parse() throws(JSONError) -> [JSONNode] {
    guard !scanner.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
    nodes.reserveCapacity(Self.fewNodes)
    open.reserveCapacity(16)
    var state = JSONExpectation.value
    while true {
      scanner.skipSpace()
      guard let byte = scanner.byte else {
        guard state == .endOfText else { throw scanner.unexpected(state) }
        return nodes
      }
      state = try step(state, byte)
    }
  }

  /// Reads one token and returns what may follow it.
  private mutating func step(_ state: JSONExpectation, _ byte: UInt8) throws(JSONError) -> JSONExpectation {
    switch (state, byte) {
    case (.valueOrBracket, UInt8(ascii: "]")), (.commaOrBracket, UInt8(ascii: "]")),
      (.nameOrBrace, UInt8(ascii: "}")), (.commaOrBrace, UInt8(ascii: "}")):
      return close()
    case (.value, _), (.valueOrBracket, _): return try value(byte, orElse: state)
    case (.name, UInt8(ascii: "\"")), (.nameOrBrace, UInt8(ascii: "\"")):
      try scalar(byte, orElse: state)
      return .colon
    case (.colon, UInt8(ascii: ":")), (.commaOrBracket, UInt8(ascii: ",")):
      scanner.offset += 1
      return .value
    case (.commaOrBrace, UInt8(ascii: ",")):
      scanner.offset += 1
      return .name
    default: throw scanner.unexpected(state)
    }
  }

  private mutating func value(
    _ byte: UInt8, orElse expected: JSONExpectation
  ) throws(JSONError) -> JSONExpectation {
    guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else {
      try scalar(byte, orElse: expected)
      return afterValue
    }
    guard open.count < maximumDepth else { throw .tooDeep(scanner.position, maximum: maximumDepth) }
    open.append(nodes.count)
    append(JSONNode(start: scanner.offset, link: 0))
    scanner.offset += 1
    return byte == UInt8(ascii: "{") ? .nameOrBrace : .valueOrBracket
  }

  private mutating func scalar(_ byte: UInt8, orElse expected: JSONExpectation) throws(JSONError) {
    let start = scanner.offset
    switch byte {
    case UInt8(ascii: "\""): try scanner.scanString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanner.scanNumber()
    case UInt8(ascii: "t"): try scanner.scanLiteral("true")
    case UInt8(ascii: "f"): try scanner.scanLiteral("false")
    case UInt8(ascii: "n"): try scanner.scanLiteral("null")
    default: throw scanner.unexpected(expected)
    }
    append(JSONNode(start: start, link: scanner.offset))
  }

  private mutating func append(_ node: JSONNode) {
    // If the array had to grow again, a large payload would need three times the memory of its tape.
    if nodes.count == Self.fewNodes { nodes.reserveCapacity(scanner.maximumCountOfNodes) }
    nodes.append(node)
  }

  private mutating func close() -> JSONExpectation {
    if let opening = open.popLast() {
      nodes[opening].link = UInt32(truncatingIfNeeded: nodes.count)
      append(JSONNode(start: scanner.offset, link: opening))
    }
    scanner.offset += 1
    return afterValue
  }

  private var afterValue: JSONExpectation {
    guard let container = open.last else { return .endOfText }
    let bracket = scanner.bytes[Int(nodes[container].start)]
    return bracket == UInt8(ascii: "{") ? .commaOrBrace : .commaOrBracket
  }
}
