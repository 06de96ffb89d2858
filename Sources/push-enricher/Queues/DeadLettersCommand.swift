internal import ArgumentParser
internal import Queueing
internal import Supporting

struct DeadLettersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead-letters",
    abstract: "Looks after messages that were no payload, or that killed their workers.",
    discussion:
      "They have been published as they came: what lies here is a record, and need not be sent again.",
    subcommands: [List.self, Show.self, Replay.self, Drop.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "One line for each, oldest first: id, reason, bytes.")
    @OptionGroup var letters: DeadLetterOptions

    func run() async {
      for message in await letters.browse(letters.access.readSources()) {
        let line =
          "\(message.id) \(message.header(ResultHeader.reason) ?? "-") \(message.body.count)"
        Console.output(line.printable)
      }
      ExitStatus.done.end()
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The body of one on stdout, as it came, and its headers on stderr.")
    @Argument(help: "What list calls it.") var id: String
    @OptionGroup var letters: DeadLetterOptions

    func run() async {
      let sources = letters.access.readSources()
      guard let message = await letters.browse(sources).last(where: { $0.id == id }) else {
        ExitStatus.badInput.end(
          "\(letters.choice(in: sources)): there is no message \(id): see dead-letters list")
      }
      for header in message.headers { Console.line("\(header.name): \(header.value)") }
      Console.output(message.body)
      ExitStatus.done.end()
    }
  }

  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts some, or all, into a queue again, without what the worker noted beside them.")
    @OptionGroup var choice: DeadLetterChoice
    @OptionGroup var letters: DeadLetterOptions
    @Option(
      help: ArgumentHelp("Queue to put them into. (default: the one that work takes from)", valueName: "url"))
    var to: String?

    func run() async {
      let sources = letters.access.readSources()
      let source = letters.choice(in: sources)
      let target = QueueChoice(.incoming, option: "--to", to, in: sources)
      if source.isSameQueue(as: target) {
        ExitStatus.usage.end(
          "\(target): is the queue that the dead letters are in: they would be replayed again, for ever")
      }
      OptionError.orExit { () throws(OptionError) in try source.check(hasCompanion: target) }
      let queues = letters.access.queues(sources)
      let queue = letters.open(source, in: queues, for: .taking)
      let targetQueue = target.open(in: queues, for: .adding)
      await letters.remove(choice, from: queue, of: source, as: "replayed") { message in
        [Publication(message.withoutResultHeaders, into: targetQueue)]
      }
    }
  }

  struct Drop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes some, or all.")
    @OptionGroup var choice: DeadLetterChoice
    @OptionGroup var letters: DeadLetterOptions

    func run() async {
      let sources = letters.access.readSources()
      let source = letters.choice(in: sources)
      let queue = letters.open(source, in: letters.access.queues(sources), for: .taking)
      await letters.remove(choice, from: queue, of: source, as: "dropped") { _ in [] }
    }
  }
}
