internal import Glibc
internal import Queueing
internal import Supporting

/// A file of records that `enqueue --records` reads, or stdin.
struct RecordInput {
  let name: String
  let lines: LineQueue
  /// Whether the lines stay where they are when they are read, unlike those of a pipe.
  private let isFile: Bool

  /// How much `end` still reads at most, in bytes. A full pipe has 64 KiB (pipe(7)), and its writer
  /// may go on meanwhile.
  private static let maximumRest = 1_048_576

  /// Opens the file until the process ends. Throws if that fails, before any record is enqueued.
  init(path: String) throws(CommandError) {
    name = InputFile(path: path).name
    let file = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw CommandError(Console.failure(of: name)) }
    var status = stat()
    let isKnown = unsafe fstat(file, &status) == 0
    // A directory can be opened, but not read.
    guard !isKnown || status.st_mode & S_IFMT != S_IFDIR else {
      throw CommandError("\(name): \(String(errno: EISDIR))")
    }
    isFile = isKnown && status.st_mode.isRegularFile
    // Reads one byte more than allowed, so that a line that was truncated is too long as well.
    let maximum = Message.maximumMovedRecordLength + 1
    lines = LineQueue(input: file, output: STDOUT_FILENO, maximumLine: maximum, gathers: false)
  }

  /// Prints the lines that exist nowhere else, including those still in a pipe.
  /// - Parameter left: the lines that were read but not enqueued. There is at least one.
  /// - Returns: an error that says which lines are not enqueued.
  func end(_ left: [Delivery], because reason: String) async -> CommandError {
    let numbers = Self.ranges(left)
    guard !isFile else {
      return CommandError(
        "\(reason); not enqueued: line \(numbers) of \(name), and all lines after that", .unavailable)
    }
    var left = left
    var room = Self.maximumRest
    while room > 0, let more = try? await lines.receive(100, waitingUpTo: .zero), !more.isEmpty {
      left += more
      room -= more.reduce(0) { $0 + $1.message.body.count }
    }
    for line in left { Console.output(line.message.body + [UInt8(ascii: "\n")]) }
    return CommandError(
      "\(reason); not enqueued, and on stdout instead: line \(Self.ranges(left)) of \(name)", .unavailable)
  }

  /// The numbers of lines in order: `1-3, 5`.
  private static func ranges(_ lines: [Delivery]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in lines.compactMap({ Int($0.receipt) }) {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }
}
