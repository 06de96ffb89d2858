internal import ArgumentParser

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Looks after the stored media.", subcommands: [PruneCommand.self])
}
