internal import ArgumentParser
internal import Connecting
internal import Queueing

/// Which of the dead letters are meant.
struct DeadLetterChoice: ParsableArguments {
  @Argument(help: ArgumentHelp("What list calls them.", valueName: "id"))
  var ids: [String] = []
  @Flag(help: "All that are there.") var all = false

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError(all ? "name ids or --all, not both" : "name the ids that list shows, or --all")
    }
  }

  func includes(_ id: String) -> Bool { all || ids.contains(id) }
}

/// Where the dead letters are, and what is done with them.
struct DeadLetterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Queue of the dead letters.", valueName: "url"))
  var from = QueueDefaults.deadLetters
  @OptionGroup var access: QueueAccess

  /// All of them, or the end of the process with what is in the way.
  func browse() async -> [Message] {
    let queue = access.queues().orExit("--from", from, defaultQueue: "dead-letters")
    do throws(QueueError) {
      return try await queue.browse(.max)
    } catch {
      ExitStatus.unavailable.end("--from \(from.withoutPassword): \(error)")
    }
  }

  /// Takes those of `choice` out of the queue, each once its publications are durable, and leaves the others where they were.
  /// - Returns: how many there were.
  func remove(
    _ choice: DeadLetterChoice, from queues: Queues, publishing publications: (Message) -> [Publication]
  ) async -> Int {
    let queue = queues.orExit("--from", from, defaultQueue: "dead-letters")
    var others: [Delivery] = []
    var count = 0
    do throws(QueueError) {
      // Those that are passed over stay on lease until the last has been seen.
      while let deliveries = try await queue.receive(100, patience: .zero), !deliveries.isEmpty {
        others += deliveries.filter { !choice.includes($0.message.id) }
        for delivery in deliveries where choice.includes(delivery.message.id) {
          try await queue.settle(delivery, publishing: publications(delivery.message))
          count += 1
        }
      }
      try await queue.release(others)
    } catch {
      try? await queue.release(others)
      ExitStatus.unavailable.end("--from \(from.withoutPassword): \(error)")
    }
    let missing = Set(choice.ids).count - count
    if missing > 0 {
      ExitStatus.badInput.end(
        "--from \(from.withoutPassword): \(missing) of these are not there: see dead-letters list")
    }
    return count
  }
}
