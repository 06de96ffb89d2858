internal import ArgumentParser
internal import Enriching
internal import Sniffing
internal import Storing

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes the media that no result has named for a time.",
    discussion: """
      A file counts as used when a result names it, and when somebody reads it, as far as the file system notes that. Only what \
      push-enricher has stored is touched, and nothing of what is being used. Workers may go on meanwhile. Run it as their user.
      """)

  @Option(
    help: ArgumentHelp(
      "For how long nobody has used them: 30d, 12h, 90m. Longer than results are on their way.",
      valueName: "time"))
  var olderThan: String
  @Option(
    help: ArgumentHelp("Directory that the media are stored in. (default: ./attachments)", valueName: "dir"))
  var store: String?
  @Option(help: ArgumentHelp("JSON file of options, which may name the store.", valueName: "file"))
  var config: String?
  @Flag(help: "Only tell what would be removed.")
  var dryRun = false

  func run() async {
    let (path, age) = settings()
    do throws(StoreError) {
      let result = try DirectoryStore(path: path).prune(
        unusedFor: age, extensions: Set(MediaFormat.allCases.map(\.filenameExtension)), isDryRun: dryRun)
      Console.line(text(result))
      if let failure = result.failure { ExitStatus.usage.end(text(result.failed, failure)) }
      ExitStatus.done.end()
    } catch {
      ExitStatus.usage.end("\(error): \(error.advice)")
    }
  }

  private func text(_ result: PruneResult) -> String {
    "\(files(result.files)) of \(result.bytes) bytes \(dryRun ? "would be removed" : "removed"), "
      + "\(files(result.kept)) in use"
  }

  private func text(_ failed: Int, _ failure: StoreError) -> String {
    "\(files(failed)) cannot be removed: run it as the owner (\(failed == 1 ? "" : "the first: ")\(failure))"
  }

  private func files(_ count: Int) -> String { "\(count) \(count == 1 ? "file" : "files")" }

  private func settings() -> (store: String, age: Int) {
    let sources = OptionSources.ofProcess(file: config)
    return OptionError.orExit { () throws(OptionError) in
      (try sources.read(.store, store, CommonOptions.directory) ?? EnrichmentSettings().store, try age())
    }
  }

  /// - Throws: `OptionError`, also for less than a result is on its way.
  private func age() throws(OptionError) -> Int {
    do throws(OptionError) {
      let age = try Age.parse(olderThan)
      guard age >= DirectoryStore.leastAge else {
        throw OptionError(
          "'\(olderThan)' is too short: what was used in the last \(DirectoryStore.leastAge) seconds is in use; write 1m or more"
        )
      }
      return age
    } catch {
      throw OptionError("--older-than: \(error)")
    }
  }
}
