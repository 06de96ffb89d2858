internal import Glibc
internal import Supporting

/// The standard streams, unbuffered: there is nothing to flush when the process ends.
enum Console {
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Opens /dev/null as each of stdin, stdout and stderr that is closed, so that no other file or
  /// socket gets its number. Reading from that stdin and writing to that stdout still fail.
  static func fillStreams() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
    where fcntl(stream, F_GETFD) == -1 {
      // `open` returns the lowest free number, which is that of this stream.
      _ = unsafe open("/dev/null", mode)
    }
  }

  static func failure(of name: String) -> String {
    errno == EBADF ? "\(name) is closed" : "\(name): \(String(errno: errno))"
  }

  static func output(_ line: String) { output(Array("\(line)\n".utf8)) }

  /// Writes to stdout. If that fails, says why and ends the process.
  static func output(_ bytes: [UInt8]) {
    guard FileBytes.write(bytes, to: STDOUT_FILENO) else {
      ExitStatus.outputFailed.end(failure(of: "stdout"))
    }
  }

  /// Writes a line to stderr, after the program's name.
  static func line(_ message: String) { _ = FileBytes.write(bytes(message), to: STDERR_FILENO) }
  static func bytes(_ message: String) -> [UInt8] { Array("push-enricher: \(message.printable)\n".utf8) }
  /// Writes text to stderr as it is.
  static func text(_ text: String) { _ = FileBytes.write(Array(text.utf8), to: STDERR_FILENO) }
}

extension Int {
  /// Counts a noun: `1 file`, `2 files`.
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
