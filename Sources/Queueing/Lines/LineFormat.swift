internal import Supporting

/// What a line of a `LineQueue` is.
package enum LineFormat: Sendable {
  /// A payload. Headers and id are not written, and each line that is read gets a new id.
  case payloads
  /// A whole message: see `Message.record`.
  case records

  /// The message in a line. A line that is no record becomes the body of a message that is not
  /// processed, so that a worker puts it into the dead letters.
  func message(in line: consuming [UInt8], number: Int) -> Message {
    guard self == .records else { return Message(body: line) }
    do throws(RecordError) {
      return try Message(takingRecord: &line)
    } catch {
      let fault = "line \(number) is not a record: \(error)".printable
      return Message(body: line, headers: [Header(Message.recordErrorHeader, fault)])
    }
  }

  /// Adds the line of a message, with a line break.
  func append(_ message: Message, to lines: inout [UInt8]) {
    guard self == .payloads else {
      lines += message.record
      return
    }
    // Line breaks, which JSON has only between tokens (RFC 8259), become spaces.
    let start = lines.count
    lines += message.body
    // No branch, so that the compiler handles sixteen bytes at once.
    for index in start..<lines.count {
      lines[index] = lines[index] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : lines[index]
    }
    lines.append(UInt8(ascii: "\n"))
  }
}
