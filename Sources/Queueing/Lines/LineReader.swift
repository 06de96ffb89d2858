internal import Glibc
internal import Supporting

/// Lines of a file, a pipe or a terminal, one by one. Not much more than the longest line is held.
struct LineReader {
  /// What a longer line is cut to: sixteen times what is read as a payload, so that what was cut is refused as one.
  static let maximumLength = 1_048_576
  private static let pieceLength = 65_536

  /// Which one was handed out last, of all lines of the input: the first is 1.
  private(set) var number = 0
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
  /// Whether nothing is read any more but the rest of a line that was begun.
  private var isStopping = false
  /// Where in the input the next piece begins, if nobody else moves it; nil for what has no places, such as a pipe.
  private var place: off_t?

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    place = Self.place(in: descriptor)
  }

  /// Whether all lines have been handed out.
  var isAtEnd: Bool { start == buffer.count && (isComplete || isStopping) }

  /// No further line is begun from now on: those that were read are still handed out, and the rest of the last one is waited for. Of a
  /// file, whoever reads from the same descriptor next gets them.
  mutating func stop() {
    guard !isStopping else { return }
    // What was cut off a line is nothing for others.
    if place != nil { while isInsideCutLine, !isComplete, (try? fill()) == true { _ = nextInBuffer() } }
    isStopping = true
    let unread = off_t(buffer.count - start)
    guard let place, unread > 0, Self.place(in: descriptor) == place,
      lseek(descriptor, place - unread, SEEK_SET) >= 0
    else { return }
    buffer = []
    (start, searched) = (0, 0)
  }

  /// The rest of the last line is not waited for any more: it is handed out as it is.
  mutating func giveUp() { isComplete = true }

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
    if !isInsideCutLine { number += 1 }
    isInsideCutLine = isCut
    start = lineBreak == nil ? end : end + 1
    searched = start
    return line
  }

  /// - Returns: false when nothing has come.
  private mutating func fill() throws(QueueError) -> Bool {
    if isAtEnd { return false }
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&interest, 1, 0) != 0 else { return false }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    // Behind the end of the line that was begun, all is left to whoever reads next.
    var piece = [UInt8](repeating: 0, count: isStopping ? 1 : Self.pieceLength)
    let count = unsafe read(descriptor, &piece, piece.count)
    guard count >= 0 else {
      if errno == EINTR || errno == EAGAIN { return false }
      if errno == EBADF { throw .refused("lines cannot be read: stdin is closed") }
      throw .refused("lines cannot be read: \(unsafe String(cString: strerror(errno)))")
    }
    buffer += piece[..<count]
    place = place.map { $0 + off_t(count) }
    isComplete = count == 0
    return true
  }

  /// Of a file only: other things that can be read from a place, such as disks, may not be so a second time.
  private static func place(in descriptor: Int32) -> off_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.isRegularFile else { return nil }
    let place = lseek(descriptor, 0, SEEK_CUR)
    return place < 0 ? nil : place
  }

  /// White space of JSON (RFC 8259 section 2).
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
