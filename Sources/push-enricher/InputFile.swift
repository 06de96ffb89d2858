internal import Glibc
internal import Supporting

/// The input of a command: a file, or stdin for `-`.
struct InputFile {
  let path: String

  /// The name used in messages.
  var name: String { path == "-" ? "stdin" : path }

  /// Returns the whole input or, if it is longer than `maximum` bytes, more than `maximum` bytes of it.
  func read(maximum: Int) throws(CommandError) -> [UInt8] {
    let bytes =
      path == "-"
      ? FileBytes.read(STDIN_FILENO, maximum: maximum) : FileBytes.read(path: path, maximum: maximum)
    guard let bytes else { throw CommandError(Console.failure(of: name)) }
    return bytes
  }

  /// Returns the whole input. Throws if it is longer than `maximum` bytes.
  func readWhole(maximum: Int) throws(CommandError) -> [UInt8] {
    let bytes = try read(maximum: maximum)
    guard bytes.count <= maximum else { throw CommandError("\(path): it is longer than \(maximum.asBytes)") }
    return bytes
  }

  /// Whether `output`, an open file, is the input itself. Writing to it would destroy the input.
  func isOverwritten(by output: Int32) -> Bool {
    var input = stat()
    var target = stat()
    let isThere = unsafe path == "-" ? fstat(STDIN_FILENO, &input) == 0 : stat(path, &input) == 0
    guard isThere, unsafe fstat(output, &target) == 0 else { return false }
    return input.st_dev == target.st_dev && input.st_ino == target.st_ino && target.st_mode.isRegularFile
  }

  /// Throws if `output` is `-`: stdout is for `contents`, and hardly any file is named `-`.
  static func refuseStandardOutput(
    _ output: String, _ option: String, for contents: String
  ) throws(CommandError) {
    guard output == "-" else { return }
    throw CommandError("\(option) -: stdout is for \(contents): name a file, like ./- or /dev/stderr")
  }
}
