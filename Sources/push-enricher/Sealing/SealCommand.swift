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

  func sealer() -> Sealer {
    orExit { () throws(SealingError) in try Sealer(keys: keys.map { .file($0) }) }
  }

  func orExit<Value>(_ body: () throws(SealingError) -> Value) -> Value {
    do throws(SealingError) {
      return try body()
    } catch .notAnObject {
      ExitStatus.badInput.end("\(SealingError.notAnObject)")
    } catch {
      ExitStatus.usage.end("\(error)")
    }
  }

  /// The whole of a file, or of stdin for `-`.
  func read(_ file: String, maximum: Int) -> [UInt8] {
    guard let bytes = InputFile.read(file, maximum: maximum) else {
      ExitStatus.usage.end(Console.failure(of: InputFile.name(of: file)))
    }
    guard bytes.count <= maximum else { ExitStatus.usage.end("\(file): it is longer than \(maximum) bytes") }
    return bytes
  }
}
