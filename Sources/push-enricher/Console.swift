internal import Glibc
internal import Supporting

/// The two streams of the process, unbuffered: nothing is left to be flushed when the process ends.
enum Console {
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Opens /dev/null for each of stdin, stdout and stderr that is closed, so that no other file or socket gets its
  /// number. Reading from such a stdin and writing to such a stdout still fail; what is written to such a stderr is lost.
  static func fillStreams() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
    where fcntl(stream, F_GETFD) == -1 {
      // The lowest number that is free, which is this one.
      _ = unsafe open("/dev/null", mode)
    }
  }

  /// What `errno` says of a stream or file.
  static func failure(of name: String) -> String {
    errno == EBADF ? "\(name) is closed" : "\(name): \(String(errno: errno))"
  }

  /// One line on stdout.
  static func output(_ line: String) { output(Array("\(line)\n".utf8)) }

  /// Bytes on stdout, or the end of the process with what is wrong with it.
  static func output(_ bytes: [UInt8]) {
    guard write(bytes, to: STDOUT_FILENO) else { ExitStatus.outputFailed.end(failure(of: "stdout")) }
  }

  /// One line on stderr, behind the program's name.
  static func line(_ message: String) { _ = write(bytes(message), to: STDERR_FILENO) }

  /// A line for people, behind the program's name.
  static func bytes(_ message: String) -> [UInt8] { Array("push-enricher: \(message.printable)\n".utf8) }

  /// Text on stderr, as it is.
  static func text(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

  /// - Returns: whether all of `bytes` were written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    countWritten(bytes, to: descriptor) == bytes.count
  }

  /// - Returns: how many of `bytes` were written. Why it is not all of them is in `errno`.
  static func countWritten(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR || waitsFor(descriptor, POLLOUT) { continue }
        break
      }
      rest = rest.dropFirst(count)
    }
    return bytes.count - rest.count
  }

  /// Waits until a non-blocking descriptor, as programs with an event loop pass on, is ready.
  /// - Returns: false when `errno` says something else than to wait.
  private static func waitsFor(_ descriptor: Int32, _ event: Int32) -> Bool {
    guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
    var watched = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&watched, 1, -1) >= 0 || errno == EINTR
  }

  /// Reads to the end, or until more than `maximum` bytes have come.
  /// - Returns: nil on an error, which is in `errno` then.
  static func read(_ descriptor: Int32, maximum: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximum {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || waitsFor(descriptor, POLLIN) { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}

extension String {
  /// Without control characters, which a sender or a server may have put there to steer the terminal or to forge a line:
  /// `\u{1b}` in place of each.
  var printable: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
