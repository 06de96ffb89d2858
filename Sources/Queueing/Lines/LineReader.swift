internal import Glibc
internal import Supporting

/// Reads lines of a file, a pipe or a terminal. Holds little more than the longest line.
struct LineReader {
  /// Bytes that longer lines are truncated to: sixteen times the longest payload, so that they are refused.
  static let maximumLength = 1_048_576
  /// Bytes that are read ahead if lines are short. More would be no faster.
  private static let pieceLength = 16_384

  /// Of the last line that was returned, from 1.
  private(set) var number = 0
  private let descriptor: Int32
  /// Bytes that were read. Those from `start` on were not returned yet; before `searched` is no line break.
  private var buffer: [UInt8] = []
  private var (start, searched) = (0, 0)
  /// Whether the next bytes are the rest of a truncated line.
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

  var isAtEnd: Bool { start == buffer.count && (isComplete || isStopping) }

  /// Begins no further line, and completes the last one. Puts lines of a file back, for other processes.
  mutating func stop() {
    guard !isStopping else { return }
    // The rest of a truncated line is of no use to others.
    if fileOffset != nil { while isInsideCutLine, !isComplete, (try? fill()) == true { _ = nextInBuffer() } }
    isStopping = true
    guard let fileOffset, start < buffer.count, Self.offset(in: descriptor) == fileOffset else { return }
    if lseek(descriptor, fileOffset - off_t(buffer.count - start), SEEK_SET) >= 0 {
      buffer = []
      (start, searched) = (0, 0)
    }
  }

  /// Returns the last line as it is, without waiting for its rest.
  mutating func giveUp() { isComplete = true }

  /// The next line that is not blank, without its line break; nil while there is none. Waits only for a disk.
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

  /// Returns the rest of a truncated line as an empty one.
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

  /// Returns false if there was nothing to read.
  private mutating func fill() throws(QueueError) -> Bool {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard !isAtEnd, unsafe poll(&interest, 1, 0) != 0 else { return false }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    // So few that the buffer grows only for long lines; byte by byte at the end, to read nothing behind it.
    let wanted = isStopping ? 1 : max(Self.pieceLength - buffer.count, Self.pieceLength / 2)
    var (count, code) = (0, Int32(0))
    buffer.append(addingCapacity: wanted) { [descriptor] space in
      unsafe space.withUnsafeMutableBufferPointer { bytes, initialized in
        count = unsafe read(descriptor, bytes.baseAddress, wanted)
        code = errno
        initialized = max(0, count)
      }
    }
    if count < 0, code == EINTR || code == EAGAIN { return false }
    guard count >= 0 else {
      throw .refused("lines cannot be read: \(code == EBADF ? "stdin is closed" : String(errno: code))")
    }
    fileOffset = fileOffset.map { $0 + off_t(count) }
    isComplete = count == 0
    return true
  }

  /// Nil unless it is a regular file: other things with an offset, such as disks, may not be read twice.
  private static func offset(in descriptor: Int32) -> off_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else { return nil }
    return lseek(descriptor, 0, SEEK_CUR)
  }
}
