internal import Glibc
internal import Supporting

/// What a command reads: a file, or stdin for `-`.
enum InputFile {
  /// Whether `output`, an open file, is the input itself, which would be lost by writing there.
  static func isOverwritten(_ file: String, by output: Int32) -> Bool {
    var input = stat()
    var target = stat()
    let isThere = unsafe file == "-" ? fstat(STDIN_FILENO, &input) == 0 : stat(file, &input) == 0
    guard isThere, unsafe fstat(output, &target) == 0 else { return false }
    return input.st_dev == target.st_dev && input.st_ino == target.st_ino
      && target.st_mode.isRegularFile
  }
}
