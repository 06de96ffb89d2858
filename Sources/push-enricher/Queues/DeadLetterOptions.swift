internal import ArgumentParser
internal import Queueing

/// The dead letters that a command applies to.
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

/// The queue of the dead letters, and what commands do with it.
struct DeadLetterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Queue of the dead letters. (default: the one of work)", valueName: "url"))
  var from: String?
  @OptionGroup var access: QueueAccess

  func choice(in sources: OptionSources) -> QueueChoice {
    let incoming = QueueChoice(.incoming, option: "--from", nil, in: sources)
    return QueueChoice(.deadLetters, option: "--from", from, in: sources, beside: incoming)
  }

  /// Opens the queue. Does not create a missing file, which is a mistake here.
  func open(_ choice: QueueChoice, in queues: Queues, for use: QueueUse) -> any Queue {
    choice.open(in: queues, for: use, createsFile: false)
  }

  /// All dead letters, or the end of the process with the error.
  func browse(_ sources: OptionSources) async -> [Message] {
    let source = choice(in: sources)
    do throws(QueueError) {
      return try await open(source, in: access.queues(sources), for: .looking).browse(.max)
    } catch {
      source.end(error)
    }
  }

  /// Removes those of `chosen` from the queue, each once its publications are confirmed, and leaves the
  /// others in their places. Ends the process with what was done, and what could not be.
  /// - Parameters:
  ///   - source: what names the queue.
  ///   - done: the word for it: `dropped`.
  func remove(
    _ chosen: DeadLetterChoice, from queue: any Queue, of source: QueueChoice, as done: String,
    publishing publications: (Message) -> [Publication]
  ) async -> Never {
    var batch: ArraySlice<Delivery> = []
    var others: [Delivery] = []
    var removed: Set<String> = []
    var count = 0
    var rest = DeadLetterRest()
    do throws(QueueError) {
      // Those that are skipped stay on lease until the last has been seen. No more are taken than there were
      // at the start: behind them may be what was published here, if it came back through an exchange, or the
      // host's other name.
      let backlog = try await queue.backlog
      var left = backlog.map { $0.waiting + ($0.onLease ?? 0) } ?? .max
      var last = LastDeliveries()
      while left > 0,
        let deliveries = try await last.receive(min(left, 100), from: queue, besides: others.count),
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

  /// - Returns: false if another process has it by now.
  private func settle(
    _ delivery: Delivery, in queue: any Queue, publishing publications: [Publication]
  ) async throws(QueueError) -> Bool {
    do throws(QueueError) {
      try await queue.settle(delivery, publishing: publications).orThrow()
      return true
    } catch .leaseLost {
      return false
    }
  }
}
