internal import ArgumentParser
internal import Glibc
internal import Notifications
internal import Queueing

struct EnqueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enqueue",
    abstract: "Puts payloads into a queue: each file whole, or each line of stdin.",
    discussion: "They are durable when it ends with status 0. How many there were stands on stderr.")

  @Argument(
    help: ArgumentHelp(
      "Files, a payload each, of which - is all of stdin. Without one, and for - alone, each line of stdin is a payload.",
      valueName: "file"))
  var files: [String] = []
  @Option(
    help: ArgumentHelp("Queue to put them into. (default: the one that work takes from)", valueName: "url"))
  var to: String?
  @Option(
    help: ArgumentHelp(
      "Header beside each payload: apns-push-type=alert. Repeatable.", valueName: "name=value"))
  var header: [String] = []
  @OptionGroup var access: QueueAccess

  func run() async {
    let headers = header.map { text in
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0)
      }
      guard sides.count == 2, !sides[0].isEmpty else {
        ExitStatus.usage.end("--header: '\(text)' is no header: write one like apns-push-type=alert")
      }
      return Header(sides[0], sides[1])
    }
    let sources = access.readSources()
    let target = QueueChoice(.incoming, option: "--to", to, in: sources)
    target.expectNoOther(.enriched, in: sources)
    let queues = access.queues(sources)
    let count =
      files.isEmpty || files == ["-"]
      ? await lines(into: target, in: queues, headers) : await whole(into: target, in: queues, headers)
    Console.line("\(count) \(count == 1 ? "payload" : "payloads") enqueued")
    ExitStatus.done.end()
  }

  /// All files or none: each is read before the first is published.
  private func whole(into target: QueueChoice, in queues: Queues, _ headers: [Header]) async -> Int {
    let messages = files.map { Message(body: Self.read($0), headers: headers) }
    await publish(messages, behind: 0, into: target.open(in: queues, for: .adding), target)
    return messages.count
  }

  private static func read(_ file: String) -> [UInt8] {
    let name = InputFile.name(of: file)
    guard let bytes = InputFile.read(file, maximum: Payload.maximumLength) else {
      ExitStatus.usage.end(Console.failure(of: name))
    }
    guard bytes.count <= Payload.maximumLength else {
      ExitStatus.badInput.end("\(name) is no payload: it is longer than \(Payload.maximumLength) bytes")
    }
    guard !bytes.isEmpty else { ExitStatus.badInput.end("\(name) is no payload: it is empty") }
    return bytes
  }

  private func lines(into target: QueueChoice, in queues: Queues, _ headers: [Header]) async -> Int {
    let queue = target.open(in: queues, for: .adding)
    let input = LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO)
    var count = 0
    while let deliveries = await take(from: input) {
      let good = deliveries.prefix { $0.message.body.count <= Payload.maximumLength }
      let messages = good.map { Message(body: $0.message.body, headers: headers) }
      await publish(messages, behind: count, into: queue, target)
      for delivery in good { _ = try? await input.settle(delivery, publishing: []) }
      count += good.count
      if good.count < deliveries.count { refuse(deliveries[good.count], behind: count) }
    }
    return count
  }

  private func refuse(_ delivery: Delivery, behind count: Int) -> Never {
    let before = count == 1 ? "1 payload before it is enqueued" : "\(count) payloads before it are enqueued"
    ExitStatus.badInput.end(
      "line \(delivery.receipt) is no payload: it is longer than \(Payload.maximumLength) bytes; \(before), and nothing behind it"
    )
  }

  private func take(from queue: any Queue) async -> [Delivery]? {
    do throws(QueueError) {
      return try await queue.receive(100, waitingUpTo: .seconds(1))
    } catch {
      ExitStatus.usage.end("stdin: \(error)")
    }
  }

  /// Ends the process if they cannot be published, and says how many are, so that whoever goes on does not
  /// put them in twice.
  /// - Parameter count: how many were published before.
  private func publish(
    _ messages: [Message], behind count: Int, into queue: any Queue, _ target: QueueChoice
  ) async {
    do throws(QueueError) {
      try await queue.publish(messages)
    } catch {
      let before = count == 1 ? "1 payload is enqueued" : "\(count) payloads are enqueued"
      // Where the reply was lost, and only then, some may be.
      guard case .unavailable = error else { ExitStatus.unavailable.end("\(target): \(error); \(before)") }
      let next = messages.count == 1 ? "the next one perhaps" : "of the next \(messages.count) perhaps some"
      ExitStatus.unavailable.end("\(target): \(error); \(before), and \(next)")
    }
  }
}
