internal import Glibc
internal import Supporting

/// Reads lines of a file, a pipe or a terminal. Holds little more than the longest line.
struct LineReader {
  /// Bytes that a longer line is truncated to: sixteen times the longest payload, so that it is refused as
  /// one.
  static let maximumLength = 1_048_576
  /// Bytes that are read ahead, where lines are short. More of them take memory, and are no faster.
  private static let pieceLength = 16_384

  /// Number of the line that was returned last, from 1.
  private(set) var number = 0
  private let descriptor: Int32
  /// Bytes that were read. Those from `start` on were not returned yet, and the next line break is behind
  /// `searched`.
  private var buffer: [UInt8] = []
  private var (start, searched) = (0, 0)
  /// Whether the next bytes belong to a line that was truncated.
  private var isInsideCutLine = false
  /// Whether the input has ended. Its last line needs no line break.
  private var isComplete = false
  /// Whether only the rest of a line that was begun is still to be read.
  private var isStopping = false
  /// Offset of the next read, if no other process moves it; nil for a pipe.
  private var fileOffset: off_t?

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    fileOffset = Self.offset(in: descriptor)
  }

  /// Whether all lines have been returned.
  var isAtEnd: Bool { start == buffer.count && (isComplete || isStopping) }

  /// Begins no further line: those that were read are still returned, and the rest of the last one is
  /// awaited. In a file, they are put back instead, for the next process that reads from the same descriptor.
  mutating func stop() {
    guard !isStopping else { return }
    // The rest of a truncated line is of no use to others.
    if fileOffset != nil { while isInsideCutLine, !isComplete, (try? fill()) == true { _ = nextInBuffer() } }
    isStopping = true
    let unread = off_t(buffer.count - start)
    guard let fileOffset, unread > 0, Self.offset(in: descriptor) == fileOffset,
      lseek(descriptor, fileOffset - unread, SEEK_SET) >= 0
    else { return }
    buffer = []
    (start, searched) = (0, 0)
  }

  /// Returns the last line as it is, without waiting for its rest.
  mutating func giveUp() { isComplete = true }

  /// The next line that is not blank, without its line break; nil while there is none. Does not wait for a
  /// pipe or a terminal.
  /// - Throws: `QueueError.refused` if the input cannot be read.
  mutating func next() throws(QueueError) -> [UInt8]? {
    while true {
      if let line = nextInBuffer() {
        // White space of JSON (RFC 8259 section 2).
        if !line.allSatisfy(" \t\r".utf8.contains) { return line }
      } else {
        guard !isComplete, try fill() else { return nil }
      }
    }
  }

  /// The rest of a truncated line is returned as an empty one.
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

  /// - Returns: false if there was nothing to read.
  private mutating func fill() throws(QueueError) -> Bool {
    if isAtEnd { return false }
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&interest, 1, 0) != 0 else { return false }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    let (count, code) = readPiece()
    guard count >= 0 else {
      if code == EINTR || code == EAGAIN { return false }
      if code == EBADF { throw .refused("lines cannot be read: stdin is closed") }
      throw .refused("lines cannot be read: \(String(errno: code))")
    }
    fileOffset = fileOffset.map { $0 + off_t(count) }
    isComplete = count == 0
    return true
  }

  /// Reads behind what is in the buffer.
  /// - Returns: how many bytes; -1 and `errno` on an error.
  private mutating func readPiece() -> (count: Int, code: Int32) {
    var (count, code) = (0, Int32(0))
    // So few that the buffer need not grow behind the beginning of a line, unless that is a long one. Byte by
    // byte at the end, to leave all behind the line to the next process.
    let wanted = isStopping ? 1 : max(Self.pieceLength - buffer.count, Self.pieceLength / 2)
    buffer.append(addingCapacity: wanted) { [descriptor] space in
      unsafe space.withUnsafeMutableBufferPointer { bytes, initialized in
        count = unsafe read(descriptor, bytes.baseAddress, wanted)
        code = errno
        initialized = max(0, count)
      }
    }
    return (count, code)
  }

  /// Of a regular file only: other things that have an offset, such as disks, may not be read a second time.
  private static func offset(in descriptor: Int32) -> off_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else { return nil }
    let fileOffset = lseek(descriptor, 0, SEEK_CUR)
    return fileOffset < 0 ? nil : fileOffset
  }
}
