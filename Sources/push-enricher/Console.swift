internal import Glibc

/// The two streams of the process, unbuffered: nothing is left to be flushed when the process ends.
enum Console {
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// One line on stdout.
  static func output(_ line: String) { _ = write(Array("\(line)\n".utf8), to: STDOUT_FILENO) }

  /// One line on stderr, behind the program's name.
  static func line(_ message: String) { text("push-enricher: \(message.printable)\n") }

  /// Text on stderr, as it is.
  static func text(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

  /// - Returns: whether all of `bytes` were written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads to the end, or until more than `maximum` bytes have come.
  /// - Returns: nil on an error, which is in `errno` then.
  static func read(_ descriptor: Int32, maximum: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximum {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
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
