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

  var choice: QueueChoice { QueueChoice(.deadLetters, option: "--from", from, in: access.sources) }

  /// The queue that they are in. A file is not made: that it is missing is a mistake.
  func open(in queues: Queues) -> any Queue { choice.open(in: queues, createsFile: false) }

  /// All of them, or the end of the process with what is in the way.
  func browse() async -> [Message] {
    let source = choice
    do throws(QueueError) {
      return try await open(in: access.queues()).browse(.max)
    } catch {
      source.end(error)
    }
  }

  /// Takes those of `chosen` out of the queue, each once its publications are durable, and leaves the others where they were. Ends the
  /// process with what was done, and what could not be.
  /// - Parameter done: what that is called: `dropped`.
  func remove(
    _ chosen: DeadLetterChoice, from queue: any Queue, as done: String,
    publishing publications: (Message) -> [Publication]
  ) async -> Never {
    let source = choice
    var batch: ArraySlice<Delivery> = []
    var others: [Delivery] = []
    var removed: Set<String> = []
    var count = 0
    var rest = DeadLetterRest()
    do throws(QueueError) {
      // Those that are passed over stay on lease until the last has been seen. No more are than were there: behind them may be what was
      // published, back by a way that no URL tells, an exchange, another name of the host.
      let backlog = try await queue.backlog
      var left = backlog.map { $0.waiting + ($0.onLease ?? 0) } ?? .max
      while left > 0, let deliveries = try await queue.receive(min(left, 100), waitingUpTo: .zero),
        !deliveries.isEmpty
      {
        left -= deliveries.count
        batch = deliveries[...]
        while let delivery = batch.first {
          let id = delivery.message.id
          let publications = publications(delivery.message)
          if chosen.includes(id) {
            if try await settle(delivery, in: queue, publishing: publications) {
              removed.insert(id)
              count += 1
            }
          } else {
            others.append(delivery)
          }
          batch.removeFirst()
        }
      }
      try await queue.release(others)
      rest = try await DeadLetterRest(of: chosen, without: removed, in: queue)
    } catch {
      try? await queue.release(others + batch)
      tell(count, done)
      source.end(error)
    }
    tell(count, done)
    rest.end(in: source)
  }

  private func tell(_ count: Int, _ done: String) {
    Console.line("\(count) \(count == 1 ? "message" : "messages") \(done)")
  }

  /// - Returns: false when somebody else has it by now.
  private func settle(
    _ delivery: Delivery, in queue: any Queue, publishing publications: [Publication]
  ) async throws(QueueError) -> Bool {
    do throws(QueueError) {
      try await queue.settle(delivery, publishing: publications)
      return true
    } catch .leaseLost {
      return false
    }
  }
}
