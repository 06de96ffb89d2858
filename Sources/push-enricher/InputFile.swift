internal import Glibc
internal import Supporting

/// The input of a command: a file, or stdin for `-`.
enum InputFile {
  /// How messages call `file`.
  static func name(of file: String) -> String { file == "-" ? "stdin" : file }

  /// The whole of `file`, or of stdin for `-`. When that is longer than `maximum` bytes, as much of it as
  /// shows that.
  /// - Returns: nil when it cannot be read: `errno` says why.
  static func read(_ file: String, maximum: Int) -> [UInt8]? {
    file == "-"
      ? FileBytes.read(STDIN_FILENO, maximum: maximum) : FileBytes.read(path: file, maximum: maximum)
  }

  /// Ends the process if `output` is `-`: stdout has something else to carry, and a file of that name is hardly
  /// ever meant.
  static func refuseStandardOutput(_ output: String, _ option: String, for contents: String) {
    guard output == "-" else { return }
    ExitStatus.usage.end("\(option) -: stdout is for \(contents): name a file, like ./- or /dev/stderr")
  }

  /// Whether `output`, an open file, is the input itself: writing there would lose it.
  static func isOverwritten(_ file: String, by output: Int32) -> Bool {
    var input = stat()
    var target = stat()
    let isThere = unsafe file == "-" ? fstat(STDIN_FILENO, &input) == 0 : stat(file, &input) == 0
    guard isThere, unsafe fstat(output, &target) == 0 else { return false }
    return input.st_dev == target.st_dev && input.st_ino == target.st_ino
      && target.st_mode.isRegularFile
  }
}
