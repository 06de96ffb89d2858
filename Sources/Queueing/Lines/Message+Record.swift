internal import Notifications
internal import Supporting

extension Message {
  /// The message as one line of JSON with a line break. `init(record:)` reads the same id, headers and
  /// body from it, byte for byte.
  package var record: [UInt8] {
    var writer = JSONWriter(capacity: size + 64)
    writer.object { record in
      record.member("id", id)
      record.name("headers")
      record.object(writeHeaders)
      if isObjectInOneLine {
        record.name("body")
        record.raw(body)
      } else if let text {
        record.member("body", text)
      } else {
        record.member("body", paddedBase64)
        record.member("encoding", "base64")
      }
    }
    return writer.line()
  }

  /// A list of values stands for headers of the same name that follow each other. If others are in between,
  /// the name appears twice, so that the order is kept.
  private func writeHeaders(_ object: inout JSONWriter) {
    var rest = headers[...]
    while let first = rest.first {
      // Compared as bytes: to `String`, a composed and a decomposed é are equal.
      let same = rest.prefix { $0.name.utf8.elementsEqual(first.name.utf8) }
      rest = rest.dropFirst(same.count)
      if same.count == 1 {
        object.member(first.name, first.value)
      } else {
        object.name(first.name)
        object.array { list in for header in same { list.write(header.value) } }
      }
    }
  }

  /// Whether the body can be part of a line as it is: an object without line breaks, and without white space
  /// around it, which would not be part of the value. Many programs take CR for a line break.
  private var isObjectInOneLine: Bool {
    guard body.first == UInt8(ascii: "{"), body.last == UInt8(ascii: "}"),
      !body.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
    else { return false }
    return (try? JSONDocument(body, maximumDepth: Payload.maximumDepth)) != nil
  }

  /// The body as text. Nil if it is not UTF-8, or would be longer than base64: JSON writes most control
  /// characters with six characters each, and many of them would take a worker too much memory.
  private var text: String? {
    let short = UInt8(ascii: "\u{8}")...UInt8(ascii: "\r")
    let long = body.count { $0 < UInt8(ascii: " ") && !short.contains($0) }
    return long > body.count / 16 ? nil : String(validating: body, as: UTF8.self)
  }

  /// Many decoders need the padding.
  private var paddedBase64: String {
    let digits = BaseEncoding.base64.encode(body.span)
    return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
  }
}

extension Message {
  /// The longest record that a worker reads, in bytes: a payload of 64 KB in which each byte is an escape, and
  /// headers. The index of the densest JSON is four times as long.
  package static let maximumRecordLength = 524_288
  /// The longest record that is only moved, in bytes. The longest message that a worker gets from a queue takes
  /// 3 MiB, if each byte is an escape. Queues for messages that are too long have longer ones.
  package static let maximumMovedRecordLength = 16_777_216

  /// The members of a record, found in one pass.
  private struct RecordMembers {
    enum Name: Int { case id, headers, body, encoding }
    /// In the order of `Name`.
    static let names = ["id", "headers", "body", "encoding"]

    var values = InlineArray<4, JSONValue?>(repeating: nil)

    /// Nil also for `null`.
    func given(_ name: Name) -> JSONValue? { values[name.rawValue].flatMap { $0.kind == .null ? nil : $0 } }
  }

  /// Reads a line of JSON: `{"id":"…","headers":{…},"body":{…}}`. Only `body` is needed. It is an object,
  /// whose bytes are kept, or a string, or bytes in base64 beside `"encoding":"base64"`.
  /// - Parameter maximumLength: of the line. The headers may take half as much memory.
  package init(record line: [UInt8], maximumLength: Int = maximumRecordLength) throws(RecordError) {
    var line = line
    try self.init(takingRecord: &line, maximumLength: maximumLength)
  }

  /// Like `init(record:)`. If possible, the body takes over the memory of the line, which is empty
  /// afterwards. If this throws, the line is unchanged.
  init(takingRecord line: inout [UInt8], maximumLength: Int = maximumRecordLength) throws(RecordError) {
    let parts = try Self.parts(of: line, maximumLength)
    let body: [UInt8]
    switch parts.body {
    case .bytes(let bytes): body = bytes
    // Otherwise a short body would keep the memory of a long line.
    case .range(let range) where range.count < line.count / 4 * 3: body = Array(line[range])
    case .range(let range):
      line.removeSubrange(range.upperBound...)
      line.removeFirst(range.lowerBound)
      body = line
      line = []
    }
    if let id = parts.id, !id.isEmpty {
      self.init(id: id, body: body, headers: parts.headers)
    } else {
      self.init(body: body, headers: parts.headers)
    }
  }

  private enum RecordBody {
    case range(Range<Int>)
    case bytes([UInt8])
  }

  private static func parts(
    of line: [UInt8], _ maximumLength: Int
  ) throws(RecordError) -> (id: String?, headers: [Header], body: RecordBody) {
    let members = try members(of: object(in: line, maximumLength))
    let headers =
      try members.given(.headers).map { (value) throws(RecordError) in
        try Self.headers(value, room: maximumLength / 2)
      } ?? []
    let body = try body(of: members)
    let id = try members.given(.id).map { (value) throws(RecordError) in try text(value, of: "id") }
    return (id, headers, body)
  }

  private static func object(in line: [UInt8], _ maximumLength: Int) throws(RecordError) -> JSONValue {
    let root: JSONValue
    do throws(JSONError) {
      // The body may be nested as deeply as a payload.
      root = try JSONDocument(
        line, maximumDepth: Payload.maximumDepth + 1, maximumLength: maximumLength
      ).root
    } catch {
      throw .notJSON(error)
    }
    guard root.kind == .object else { throw .notAnObject(root.kind) }
    return root
  }

  private static func members(of record: JSONValue) throws(RecordError) -> RecordMembers {
    var members = RecordMembers()
    for member in record.members {
      guard let index = RecordMembers.names.firstIndex(where: member.isNamed) else {
        throw .unknownMember(String(member.name.prefix(40)))
      }
      guard members.values[index] == nil else { throw .repeatedMember(RecordMembers.names[index]) }
      members.values[index] = member.value
    }
    return members
  }

  /// - Parameter maximum: how many bytes they may take in memory: many short headers take several times their text.
  private static func headers(_ value: JSONValue, room maximum: Int) throws(RecordError) -> [Header] {
    guard value.kind == .object else { throw .wrongKind("headers", value.kind, expected: "an object") }
    var headers: [Header] = []
    headers.reserveCapacity(4)
    var room = maximum
    for member in value.members {
      let name = try text(member.key, of: "name of a header")
      // A `String` that is not stream-safe would take seconds to compare.
      guard !name.isEmpty, name.isStreamSafe else { throw .headerName }
      if member.value.kind == .array {
        for value in member.value.elements { try headers.add(name, header(value, name), &room, maximum) }
      } else {
        try headers.add(name, header(member.value, name), &room, maximum)
      }
    }
    return headers
  }

  /// Numbers and truth values are taken as they are spelled: `"apns-priority":10`.
  private static func header(_ value: JSONValue, _ name: String) throws(RecordError) -> String {
    if [.number, .boolean].contains(value.kind) { return value.spelling }
    return try text(value, of: "header '\(name.prefix(40))'")
  }

  private static func body(of record: RecordMembers) throws(RecordError) -> RecordBody {
    guard let body = record.given(.body) else { throw .noBody }
    guard let encoding = record.given(.encoding) else {
      // Some senders put several messages into a list.
      if [.object, .array].contains(body.kind) { return .range(body.range) }
      return .bytes(Array(try text(body, of: "body", expected: "an object or a string").utf8))
    }
    let name = try text(encoding, of: "encoding")
    guard name == "base64" else { throw .unknownEncoding(String(name.prefix(40))) }
    let digits = try text(body, of: "body", expected: "a string, because of its encoding,")
    guard let bytes = BaseEncoding.anyBase64.bytes(of: digits.utf8.span) else { throw .notBase64 }
    return .bytes(bytes)
  }

  private static func text(
    _ value: JSONValue, of place: @autoclosure () -> String, expected: String = "a string"
  ) throws(RecordError) -> String {
    guard let escaped = value.spelledText else { throw .wrongKind(place(), value.kind, expected: expected) }
    guard escaped.contains(UInt8(ascii: "\\")) else { return String(decoding: escaped, as: UTF8.self) }
    guard !JSONEscape.hasLoneSurrogate(escaped) else { throw .notText(place()) }
    return String(decoding: JSONEscape.decode(escaped), as: UTF8.self)
  }
}

extension [Header] {
  /// - Parameter room: how many bytes of `maximum` are left.
  fileprivate mutating func add(
    _ name: String, _ value: String, _ room: inout Int, _ maximum: Int
  ) throws(RecordError) {
    room -= MemoryLayout<Header>.stride + name.utf8.count + value.utf8.count
    guard room >= 0 else { throw .headersTooLong(maximum: maximum) }
    append(Header(name, value))
  }
}
