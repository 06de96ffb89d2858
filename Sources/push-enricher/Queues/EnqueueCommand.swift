internal import ArgumentParser
internal import Glibc
internal import Notifications
internal import Queueing
internal import Supporting

struct EnqueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enqueue",
    abstract: "Puts payloads into a queue: each file whole, or each line of stdin.",
    discussion: """
      If it ends with status 0, the payloads are durable. Their number is on stderr. With --records, each line is a message with its \
      headers: {"id":"…","headers":{"apns-topic":"…"},"body":{…}}. Lines that could not be enqueued are on stdout.
      """)

  @Argument(
    help: .value(
      "file",
      "Files with one payload each; - among them stands for all of stdin, as one payload. Without files, or with - alone, each line of stdin is a payload."
    ))
  var files: [String] = []
  @Option(help: .value("url", "Queue to put them into. (default: the one that work takes from)"))
  var to: String?
  @Option(help: .value("name=value", "Header for each payload: apns-push-type=alert. Repeatable."))
  var header: [String] = []
  @Flag(help: "Each line of the files or of stdin is a message as dequeue --records prints it.")
  var records = false
  @OptionGroup var access: QueueAccess

  func run() async throws {
    let headers = try header.map(Self.header)
    let sources = try access.sources()
    let target = try QueueChoice(.incoming, option: ("--to", to), in: sources)
    try target.expectNoOther(.enriched, in: sources, because: "enqueue fills")
    let queues = try access.queues(sources)
    if records {
      let inputs = try (files.isEmpty ? ["-"] : files).map { try RecordInput(path: $0) }
      var intake = RecordIntake(
        queue: try target.open(in: queues, for: .adding), target: target, headers: headers)
      for input in inputs { try await intake.take(input) }
      return try intake.tell()
    }
    // Reads all files before it publishes the first, so that a bad file keeps all of them out.
    let paths = files == ["-"] ? [] : files
    let messages = try paths.map { Message(body: try Self.read($0), headers: headers) }
    let queue = try target.open(in: queues, for: .adding)
    var count = messages.count
    if messages.isEmpty {
      count = try await enqueueLines(into: queue, of: target, headers)
    } else {
      try await queue.publish(messages, behind: 0, of: target)
    }
    Console.line("\(count.of("payload")) enqueued")
  }

  private static func header(_ text: String) throws(CommandError) -> Header {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty else {
      throw CommandError("--header: '\(text)' is not a header: write one like apns-push-type=alert")
    }
    return Header(String(sides[0]), String(sides[1]))
  }

  private static func read(_ path: String) throws(CommandError) -> [UInt8] {
    let file = InputFile(path: path)
    let bytes = try file.read(maximum: Payload.maximumLength)
    guard bytes.count <= Payload.maximumLength, !bytes.isEmpty else {
      let fault = bytes.isEmpty ? "empty" : "longer than \(Payload.maximumLength.asBytes)"
      throw CommandError("\(file.name) is not a payload: it is \(fault)", .badInput)
    }
    return bytes
  }

  private func enqueueLines(
    into queue: any Queue, of target: QueueChoice, _ headers: [Header]
  ) async throws(CommandError) -> Int {
    // Lines gather anyway while the queue confirms the ones before.
    let input = LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO, gathers: false)
    var count = 0
    while let deliveries = try await input.take(from: "stdin") {
      let good = deliveries.prefix { $0.message.body.count <= Payload.maximumLength }
      let messages = good.map { Message(body: $0.message.body, headers: headers) }
      try await queue.publish(messages, behind: count, of: target)
      for delivery in good { _ = try? await input.settle(delivery, publishing: []) }
      count += good.count
      guard good.count == deliveries.count else {
        throw CommandError(
          "line \(deliveries[good.count].receipt) is not a payload: it is longer than \(Payload.maximumLength.asBytes); \(count.areEnqueued("before it ")), and nothing after it",
          .badInput)
      }
    }
    return count
  }
}

extension LineQueue {
  /// The next lines, or nil at the end of the input.
  func take(from name: String) async throws(CommandError) -> [Delivery]? {
    do throws(QueueError) { return try await receive(100, waitingUpTo: .seconds(1)) } catch {
      throw CommandError("\(name): \(error)")
    }
  }
}

extension Sink {
  /// Publishes `messages`. An error says how many payloads are enqueued, so that none goes in twice.
  func publish(
    _ messages: [Message], behind count: Int, of target: QueueChoice
  ) async throws(CommandError) {
    do throws(QueueError) { try await publish(messages) } catch {
      let before = "\(target): \(error); \(count.areEnqueued())"
      // If the reply was lost, some of these may be enqueued. After any other error, none is.
      guard case .unavailable = error else { throw CommandError(before, .unavailable) }
      let next = messages.count == 1 ? "perhaps the next one" : "perhaps some of the next \(messages.count)"
      throw CommandError("\(before), and \(next)", .unavailable)
    }
  }

}

extension Int {
  func areEnqueued(_ place: String = "") -> String {
    "\(of("payload")) \(place)\(self == 1 ? "is" : "are") enqueued"
  }
}
