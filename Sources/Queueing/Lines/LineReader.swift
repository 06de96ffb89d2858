internal import Glibc
internal import Supporting

/// Reads lines from a file, a pipe or a terminal. Holds little more than the longest line.
struct LineReader {
  /// The usual `maximumLength`: 16 times the longest payload.
  static let maximumPayloadLine = 1_048_576
  /// How many bytes are read ahead if lines are short. More would not be faster.
  private static let pieceLength = 16_384

  /// The number of the last returned line, from 1.
  private(set) var number = 0
  private let descriptor: Int32
  /// Longer lines are truncated to this length and then refused.
  private let maximumLength: Int
  /// Bytes from `start` on have not been returned yet. Before `searched`, they have no line break.
  private var buffer: [UInt8] = []
  private var (start, searched) = (0, 0)
  /// Whether the next bytes are the rest of a truncated line.
  private var isInsideCutLine = false
  /// Whether the input has ended. The last line needs no line break.
  private var isComplete = false
  /// Whether to read only the rest of a line that has begun.
  private var isStopping = false
  /// The offset of the next read, unless another process moves it. Nil for a pipe.
  private var fileOffset: off_t?

  init(_ descriptor: Int32, maximumLength: Int = maximumPayloadLine) {
    (self.descriptor, self.maximumLength) = (descriptor, maximumLength)
    fileOffset = Self.offset(in: descriptor)
  }

  var isAtEnd: Bool { start == buffer.count && (isComplete || isStopping) }

  /// Stops reading new lines, but finishes a line that has begun. If the input is a file, seeks
  /// back to the first line that was not returned, for other processes.
  mutating func stop() {
    guard !isStopping else { return }
    // Nobody else can use the rest of a truncated line.
    if fileOffset != nil { while isInsideCutLine, !isComplete, (try? fill()) == true { _ = nextInBuffer() } }
    isStopping = true
    guard let fileOffset, start < buffer.count, Self.offset(in: descriptor) == fileOffset else { return }
    if lseek(descriptor, fileOffset - off_t(buffer.count - start), SEEK_SET) >= 0 {
      buffer = []
      (start, searched) = (0, 0)
    }
  }

  /// Lets `next` return the last line as it is, without waiting for its rest.
  mutating func giveUp() { isComplete = true }

  /// The next non-blank line, without line break. Nil if there is none yet. Waits only for a disk.
  /// - Throws: `QueueError.refused` if the input cannot be read.
  mutating func next() throws(QueueError) -> [UInt8]? {
    while true {
      if let line = nextInBuffer() {
        // JSON white space (RFC 8259 section 2).
        if !line.allSatisfy(" \t\r".utf8.contains) { return line }
      } else {
        guard !isComplete, try fill() else { return nil }
      }
    }
  }

  /// Returns the rest of a truncated line as an empty line.
  private mutating func nextInBuffer() -> [UInt8]? {
    let lineBreak = unsafe buffer.withUnsafeBytes { [searched] bytes -> Int? in
      guard searched < bytes.count, let start = bytes.baseAddress,
        let found = unsafe memchr(start + searched, Int32(UInt8(ascii: "\n")), bytes.count - searched)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
    let end = lineBreak ?? buffer.count
    searched = end
    let isCut = lineBreak == nil && end - start >= maximumLength
    guard lineBreak != nil || isCut || (isComplete && end > start) else { return nil }
    let line = isInsideCutLine ? [] : Array(buffer[start..<min(end, start + maximumLength)])
    if !isInsideCutLine { number += 1 }
    isInsideCutLine = isCut
    start = lineBreak == nil ? end : end + 1
    searched = start
    return line
  }

  /// Returns false if there is nothing to read now.
  private mutating func fill() throws(QueueError) -> Bool {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // A file is always ready.
    guard !isAtEnd, unsafe fileOffset != nil || poll(&interest, 1, 0) != 0 else { return false }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    // The buffer grows only for long lines. When stopping, nothing after the line may be read.
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

  /// Nil unless it is a regular file. A disk has an offset too, but may not be read twice.
  private static func offset(in descriptor: Int32) -> off_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else { return nil }
    return lseek(descriptor, 0, SEEK_CUR)
  }
}
