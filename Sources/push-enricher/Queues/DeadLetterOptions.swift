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
  @Option(help: ArgumentHelp("Queue of the dead letters. (default: the one of work)", valueName: "url"))
  var from: String?
  @OptionGroup var access: QueueAccess

  var choice: QueueChoice { QueueChoice(.deadLetters, option: "--from", from, in: .ofProcess()) }

  /// All of them, or the end of the process with what is in the way.
  func browse() async -> [Message] {
    let source = choice
    do throws(QueueError) {
      return try await source.open(in: access.queues()).browse(.max)
    } catch {
      source.end(error)
    }
  }

  /// Takes those of `choice` out of the queue, each once its publications are durable, and leaves the others where they were.
  /// - Returns: how many there were.
  func remove(
    _ chosen: DeadLetterChoice, from queues: Queues, publishing publications: (Message) -> [Publication]
  ) async -> Int {
    let source = choice
    let queue = source.open(in: queues)
    var others: [Delivery] = []
    var published: Set<String> = []
    var count = 0
    do throws(QueueError) {
      // Those that are passed over stay on lease until the last has been seen.
      while let deliveries = try await queue.receive(100, patience: .zero), !deliveries.isEmpty {
        for delivery in deliveries {
          let id = delivery.message.id
          let publications = publications(delivery.message)
          // What comes a second time may be what was published, back by a way that no URL tells: an exchange, another name of the host.
          guard chosen.includes(id), publications.isEmpty || published.insert(id).inserted else {
            others.append(delivery)
            continue
          }
          try await queue.settle(delivery, publishing: publications)
          count += 1
        }
      }
      try await queue.release(others)
    } catch {
      try? await queue.release(others)
      source.end(error)
    }
    let missing = Set(chosen.ids).count - count
    if missing > 0 {
      ExitStatus.badInput.end("\(source): \(missing) of these are not there: see dead-letters list")
    }
    return count
  }
}
