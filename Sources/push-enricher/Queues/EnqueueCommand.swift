internal import ArgumentParser
internal import Glibc
internal import Notifications
internal import Queueing

struct EnqueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enqueue",
    abstract: "Puts payloads into a queue: each file whole, or each line of stdin.",
    discussion: "If it ends with status 0, the payloads are durable. Their number is on stderr.")

  @Argument(
    help: .value(
      "file",
      "Files with one payload each; - among them is all of stdin. Without files, or with - alone, each line of stdin is a payload."
    ))
  var files: [String] = []
  @Option(help: .value("url", "Queue to put them into. (default: the one that work takes from)"))
  var to: String?
  @Option(help: .value("name=value", "Header for each payload: apns-push-type=alert. Repeatable."))
  var header: [String] = []
  @OptionGroup var access: QueueAccess

  func run() async throws {
    let headers = try header.map(Self.header)
    let sources = try access.sources()
    let target = try QueueChoice(.incoming, option: ("--to", to), in: sources)
    try target.expectNoOther(.enriched, in: sources)
    let queues = try access.queues(sources)
    // Reads all files before it publishes the first, so that a bad file keeps all of them out.
    let paths = files == ["-"] ? [] : files
    let messages = try paths.map { Message(body: try Self.read($0), headers: headers) }
    let queue = try target.open(in: queues, for: .adding)
    var count = messages.count
    if messages.isEmpty {
      count = try await enqueueLines(into: queue, of: target, headers)
    } else {
      try await publish(messages, behind: 0, into: queue, of: target)
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
      let fault = bytes.isEmpty ? "empty" : "longer than \(Payload.maximumLength) bytes"
      throw CommandError("\(file.name) is not a payload: it is \(fault)", .badInput)
    }
    return bytes
  }

  private func enqueueLines(
    into queue: any Queue, of target: QueueChoice, _ headers: [Header]
  ) async throws(CommandError) -> Int {
    let input = LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO)
    var count = 0
    while let deliveries = try await take(from: input) {
      let good = deliveries.prefix { $0.message.body.count <= Payload.maximumLength }
      let messages = good.map { Message(body: $0.message.body, headers: headers) }
      try await publish(messages, behind: count, into: queue, of: target)
      for delivery in good { _ = try? await input.settle(delivery, publishing: []) }
      count += good.count
      guard good.count == deliveries.count else {
        throw CommandError(
          "line \(deliveries[good.count].receipt) is not a payload: it is longer than \(Payload.maximumLength) bytes; \(Self.areEnqueued(count, "before it ")), and nothing after it",
          .badInput)
      }
    }
    return count
  }

  private func take(from queue: any Queue) async throws(CommandError) -> [Delivery]? {
    do throws(QueueError) { return try await queue.receive(100, waitingUpTo: .seconds(1)) } catch {
      throw CommandError("stdin: \(error)")
    }
  }

  /// Publishes `messages`. An error says how many payloads are enqueued, so that none goes in twice.
  private func publish(
    _ messages: [Message], behind count: Int, into queue: any Queue, of target: QueueChoice
  ) async throws(CommandError) {
    do throws(QueueError) { try await queue.publish(messages) } catch {
      let before = "\(target): \(error); \(Self.areEnqueued(count))"
      // Only if the reply was lost may some of these be enqueued.
      guard case .unavailable = error else { throw CommandError(before, .unavailable) }
      let next = messages.count == 1 ? "perhaps the next one" : "perhaps some of the next \(messages.count)"
      throw CommandError("\(before), and \(next)", .unavailable)
    }
  }

  private static func areEnqueued(_ count: Int, _ place: String = "") -> String {
    "\(count.of("payload")) \(place)\(count == 1 ? "is" : "are") enqueued"
  }
}
