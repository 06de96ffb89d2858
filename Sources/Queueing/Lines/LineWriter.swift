internal import Glibc
internal import Supporting

/// Writes lines to a file, a pipe or a terminal. After an error, a file has none of the lines.
struct LineWriter {
  let descriptor: Int32
  let format: LineFormat

  /// Blocks while a pipe is full.
  /// - Throws: `QueueError.unavailable` if the disk is full, `.refused` if nobody reads the pipe.
  func write(_ messages: [Message]) throws(QueueError) {
    // Written in one piece: the lines are few, or small.
    let (start, bytes) = (fileEnd, lines(messages))
    let written = FileBytes.countWritten(bytes, to: descriptor)
    guard written < bytes.count else { return }
    let code = errno
    takeBack(written, from: start)
    switch code {
    case EBADF: throw .refused("lines cannot be written: stdout is closed")
    case EPIPE: throw .refused("the reader of stdout has gone")
    case ENOSPC, EDQUOT, EFBIG:
      throw .unavailable(
        "no space is left for the lines: free some space (workers then resume by themselves)")
    default: throw .refused("lines cannot be written: \(String(errno: code))")
    }
  }

  private func lines(_ messages: [Message]) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(messages.reduce(0) { $0 + $1.body.count + 1 })
    for message in messages { format.append(message, to: &lines) }
    return lines
  }

  /// The offset of the next line. Nil unless the descriptor is at the end of a regular file.
  private var fileEnd: off_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else { return nil }
    let isAppending = fcntl(descriptor, F_GETFL) & O_APPEND != 0
    let offset = lseek(descriptor, 0, isAppending ? SEEK_END : SEEK_CUR)
    return offset == status.st_size ? offset : nil
  }

  /// Removes lines that will be written again from a file, unless another process wrote there too.
  private func takeBack(_ written: Int, from start: off_t?) {
    guard let start, written > 0, fileEnd == start + off_t(written) else { return }
    if ftruncate(descriptor, start) == 0 { lseek(descriptor, start, SEEK_SET) }
  }
}
