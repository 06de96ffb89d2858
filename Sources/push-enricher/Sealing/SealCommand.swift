internal import ArgumentParser
internal import Enriching

struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Makes encrypted payloads and media, to try a pipeline with.",
    discussion: """
      First the media, each of which gives an entry for the content; then the content, with the entries in its "media".
      """,
    subcommands: [SealContentCommand.self, SealMediaCommand.self])
}

/// The keys of both.
struct SealingKeys: ParsableArguments {
  @Option(help: ArgumentHelp("JSON file of keys, as enrich reads it.", valueName: "file"))
  var keys: String?

  func sealer() throws(SealingError) -> Sealer { try Sealer(keys: keys.map { .file($0) }) }
}

extension InputFile {
  /// The whole of it.
  /// - Throws: `CommandError` also if it is longer than `maximum` bytes.
  func readWhole(maximum: Int) throws(CommandError) -> [UInt8] {
    let bytes = try read(maximum: maximum)
    guard bytes.count <= maximum else { throw CommandError("\(path): it is longer than \(maximum) bytes") }
    return bytes
  }
}
