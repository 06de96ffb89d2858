internal import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo", abstract: "x")
  func run() async {}
}
