internal import Glibc
internal import Notifications
internal import Queueing

/// A file of records that `enqueue --records` reads, or stdin.
struct RecordInput {
  let name: String
  let lines: LineQueue

  /// Opens the file until the process ends. Throws if that fails, before any record is enqueued.
  init(path: String) throws(CommandError) {
    name = InputFile(path: path).name
    let file = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw CommandError(Console.failure(of: name)) }
    lines = LineQueue(input: file, output: STDOUT_FILENO)
  }
}

/// Enqueues the lines that are records. A line that is none may have come through a pipe and be nowhere
/// else, so it goes to stdout as it is, and the lines after it are enqueued all the same.
struct RecordIntake {
  let queue: any Queue
  let target: QueueChoice
  /// Each goes to the records that have no header of this name.
  let headers: [Header]
  private var count = 0
  private var refused = 0

  init(queue: any Queue, target: QueueChoice, headers: [Header]) {
    (self.queue, self.target, self.headers) = (queue, target, headers)
  }

  mutating func take(_ input: RecordInput) async throws(CommandError) {
    while let deliveries = try await input.lines.take(from: input.name) {
      var messages: [Message] = []
      var refusals: [(line: Delivery, because: RecordError)] = []
      for delivery in deliveries {
        do throws(RecordError) { messages.append(try message(in: delivery.message.body)) } catch {
          refusals.append((delivery, error))
        }
      }
      try await queue.publish(messages, behind: count, of: target)
      count += messages.count
      refused += refusals.count
      for (line, error) in refusals {
        Console.line("\(input.name): line \(line.receipt) is not a record: \(error)")
        Console.output(line.message.body + [UInt8(ascii: "\n")])
      }
      for delivery in deliveries { _ = try? await input.lines.settle(delivery, publishing: []) }
    }
  }

  /// Says how many records are enqueued. Throws if a line was not a record.
  func tell() throws(CommandError) {
    guard refused > 0 else { return Console.line("\(count.of("payload")) enqueued") }
    let all = refused == 1 ? "1 line is not a record and is" : "\(refused) lines are not records and are"
    throw CommandError(
      "\(all) on stdout: correct and enqueue only what is there; \(count.areEnqueued())", .badInput)
  }

  private func message(in line: [UInt8]) throws(RecordError) -> Message {
    var message = try Message(record: line)
    guard message.body.count <= Payload.maximumLength else { throw .bodyTooLong(message.body.count) }
    message.headers += headers.filter { message.header($0.name) == nil }
    return message
  }
}
