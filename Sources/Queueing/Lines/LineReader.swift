internal import Glibc

/// Lines of a file, a pipe or a terminal, one by one. Not much more than the longest line is held.
struct LineReader {
  /// What a longer line is cut to: sixteen times what is read as a payload, so that what was cut is refused as one.
  static let maximumLength = 1_048_576
  private static let pieceLength = 65_536

  private let descriptor: Int32
  /// Read, and from `start` on not yet handed out.
  private var buffer: [UInt8] = []
  private var start = 0
  /// Where the search for the end of the line goes on.
  private var searched = 0
  /// Whether what comes next belongs to a line that was cut.
  private var isInsideCutLine = false
  /// Whether there is no more to read. The last line needs no line break.
  private var isComplete = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether all lines have been handed out.
  var isAtEnd: Bool { isComplete && start == buffer.count }

  /// The next line that holds anything, without its line break; nil while there is none. Does not wait for a pipe or a terminal.
  /// - Throws: `QueueError.refused` for what cannot be read.
  mutating func next() throws(QueueError) -> [UInt8]? {
    while true {
      if let line = nextInBuffer() {
        if !line.allSatisfy(Self.isSpace) { return line }
      } else {
        guard !isComplete, try fill() else { return nil }
      }
    }
  }

  /// The rest of a line that was cut counts as an empty one.
  private mutating func nextInBuffer() -> [UInt8]? {
    let lineBreak = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
    let end = lineBreak ?? buffer.count
    searched = end
    let isCut = lineBreak == nil && end - start >= Self.maximumLength
    guard lineBreak != nil || isCut || (isComplete && end > start) else { return nil }
    let line = isInsideCutLine ? [] : Array(buffer[start..<min(end, start + Self.maximumLength)])
    isInsideCutLine = isCut
    start = lineBreak == nil ? end : end + 1
    searched = start
    return line
  }

  /// - Returns: false when nothing has come.
  private mutating func fill() throws(QueueError) -> Bool {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&interest, 1, 0) != 0 else { return false }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    var piece = [UInt8](repeating: 0, count: Self.pieceLength)
    let count = unsafe read(descriptor, &piece, piece.count)
    guard count >= 0 else {
      if errno == EINTR || errno == EAGAIN { return false }
      if errno == EBADF { throw .refused("lines cannot be read: stdin is closed") }
      throw .refused("lines cannot be read: \(unsafe String(cString: strerror(errno)))")
    }
    buffer += piece[..<count]
    isComplete = count == 0
    return true
  }

  /// White space of JSON (RFC 8259 section 2).
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
