internal import ArgumentParser
internal import Queueing
internal import Supporting

struct DeadLettersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead-letters",
    abstract:
      "Manages messages that were not payloads, that killed their workers, or whose results a queue refused.",
    discussion:
      "A message that its target rejected, for example as message-too-large, is only here. All others have been published unchanged as well: their dead letters are copies, and need not be sent again.",
    subcommands: [List.self, Show.self, Replay.self, Drop.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a line for each dead letter, oldest first: id, reason, bytes.")
    @OptionGroup var letters: DeadLetterOptions

    func run() async throws {
      for message in try await letters.browse().messages {
        let reason = message.header(ResultHeader.reason) ?? "-"
        Console.output("\(message.id) \(reason) \(message.body.count)".printable)
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the body of one dead letter on stdout, unchanged, and its headers on stderr.")
    @Argument(help: "The id that list shows.") var id: String
    @OptionGroup var letters: DeadLetterOptions

    func run() async throws {
      let (source, messages) = try await letters.browse()
      guard let message = messages.last(where: { $0.id == id }) else {
        throw CommandError("\(source): there is no message \(id): see dead-letters list", .badInput)
      }
      for header in message.headers { Console.line("\(header.name): \(header.value)") }
      Console.output(message.body)
    }
  }

  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts some or all dead letters back into a queue, without the headers that the worker added.")
    @OptionGroup var choice: DeadLetterChoice
    @OptionGroup var letters: DeadLetterOptions
    @Option(help: .value("url", "Queue to put them into. (default: the one that work takes from)"))
    var to: String?

    func run() async throws {
      let sources = try letters.access.sources()
      let source = try letters.choice(in: sources)
      let target = try QueueChoice(.incoming, option: ("--to", to), in: sources)
      if source.isSameQueue(as: target) {
        throw CommandError(
          "\(target): this is the queue that the dead letters are in: they would be replayed again, forever")
      }
      try source.check(hasCompanion: target)
      let queues = try letters.access.queues(sources)
      let queue = try source.open(in: queues, for: .taking, createsFile: false)
      let targetQueue = try target.open(in: queues, for: .adding)
      var removal = DeadLetterRemoval(chosen: choice, source: source, queue: queue, done: "replayed")
      try await removal.run { [Publication($0.withoutResultHeaders, into: targetQueue)] }
    }
  }

  struct Drop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes some or all dead letters.")
    @OptionGroup var choice: DeadLetterChoice
    @OptionGroup var letters: DeadLetterOptions

    func run() async throws {
      let (source, queue) = try letters.open(for: .taking)
      var removal = DeadLetterRemoval(chosen: choice, source: source, queue: queue, done: "dropped")
      try await removal.run { _ in [] }
    }
  }
}

struct DeadLetterChoice: ParsableArguments {
  @Argument(help: .value("id", "The ids that list shows.")) var ids: [String] = []
  @Flag(help: "All dead letters in the queue.") var all = false

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError(all ? "name ids or --all, not both" : "name the ids that list shows, or --all")
    }
  }

  func includes(_ id: String) -> Bool { all || ids.contains(id) }
}

/// The queue of the dead letters. If its file is missing, that is an error: it is not created.
struct DeadLetterOptions: ParsableArguments {
  @Option(help: .value("url", "Queue of the dead letters. (default: the one that work uses)"))
  var from: String?
  @OptionGroup var access: QueueAccess

  func choice(in sources: OptionSources) throws(CommandError) -> QueueChoice {
    let incoming = try QueueChoice(.incoming, in: sources)
    // A door keeps no messages, so its dead letters are beside the results.
    let neighbour = incoming.door == nil ? incoming : try QueueChoice(.enriched, in: sources)
    return try QueueChoice(.deadLetters, option: ("--from", from), in: sources, beside: neighbour)
  }

  func open(for use: QueueUse) throws(CommandError) -> (QueueChoice, any Queue) {
    let sources = try access.sources()
    let source = try choice(in: sources)
    return (source, try source.open(in: access.queues(sources), for: use, createsFile: false))
  }

  func browse() async throws(CommandError) -> (source: QueueChoice, messages: [Message]) {
    let (source, queue) = try open(for: .looking)
    do throws(QueueError) { return (source, try await queue.browse(.max)) } catch {
      throw source.failure(error)
    }
  }
}
