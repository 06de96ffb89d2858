internal import Queueing

/// Enqueues the lines that are records. Other lines may have come through a pipe and be nowhere else, so they
/// go to stdout as they are.
struct RecordIntake {
  let queue: any Queue
  let target: QueueChoice
  /// Each is added to the records that have no header of its name.
  let headers: [Header]
  private var count = 0
  private var refused = 0

  init(queue: any Queue, target: QueueChoice, headers: [Header]) {
    (self.queue, self.target, self.headers) = (queue, target, headers)
  }

  /// Throws if the queue fails.
  mutating func take(_ input: RecordInput) async throws(CommandError) {
    while let lines = try await input.lines.take(from: input.name) {
      var good: [(line: Delivery, message: Message)] = []
      var bad: [(line: Delivery, fault: String)] = []
      for line in lines {
        do throws(RecordError) { good.append((line, try message(in: line.message.body))) } catch {
          bad.append((line, "is not a record: \(error)"))
        }
      }
      var answers: [SendResult] = []
      var failure: QueueError?
      do throws(QueueError) { answers = try await queue.send(good.map(\.message)) } catch { failure = error }
      var left: [Delivery] = []
      for (index, (line, _)) in good.enumerated() {
        switch index < answers.count ? answers[index] : nil {
        case .sent: count += 1
        case .rejected(let rejection): bad.append((line, "cannot be enqueued: \(rejection.detail)"))
        case .unavailable(let detail, _):
          failure = .unavailable(detail)
          left.append(line)
        case nil: left.append(line)
        }
      }
      for (line, fault) in bad {
        Console.line("\(input.name): line \(line.receipt) \(fault)")
        Console.output(line.message.body + [UInt8(ascii: "\n")])
      }
      refused += bad.count
      guard left.isEmpty else { throw await input.end(left, because: describe(failure)) }
      for line in lines { _ = try? await input.lines.settle(line, publishing: []) }
    }
  }

  /// Says how many records are enqueued. Throws if a line was refused.
  func tell() throws(CommandError) {
    guard refused > 0 else { return Console.line("\(count.of("payload")) enqueued") }
    let lines =
      refused == 1
      ? "1 line was not enqueued. It is on stdout: correct it and enqueue it again."
      : "\(refused) lines were not enqueued. They are on stdout: correct them and enqueue them again."
    throw CommandError(
      "\(lines) \(count.of("message")) \(count == 1 ? "was" : "were") enqueued.", .badInput)
  }

  private func describe(_ failure: QueueError?) -> String {
    let error = failure ?? .unavailable("it has not confirmed all messages")
    // If the reply was lost, some may be enqueued. After any other error, none is.
    guard case .unavailable = error else { return "\(target): \(error); \(count.areEnqueued())" }
    return "\(target): \(error); \(count.areEnqueued()), and perhaps some of the lines that follow"
  }

  private func message(in line: [UInt8]) throws(RecordError) -> Message {
    var message = try Message(record: line, maximumLength: Message.maximumMovedRecordLength)
    message.headers += headers.filter { message.header($0.name) == nil }
    return message
  }
}
