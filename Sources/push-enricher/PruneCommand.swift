internal import ArgumentParser
internal import Enriching
internal import Sniffing
internal import Storing

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Manages the stored media.", subcommands: [PruneCommand.self])
}

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes the media that no result has named for a given time.",
    discussion: """
      A file counts as used when a result names it, and when somebody reads it, as far as the file system records that. Only files that \
      push-enricher has stored are touched, and none that is in use. Workers may keep running. Run it as their user. A bucket prunes \
      itself: this command only prints the lifecycle rule for it, and ends with status 64.
      """)

  struct Options: RowOptions {
    static let rows: [OptionRow] = [
      .store, .config.explained("JSON file of options, which may name the store."),
    ]
    var given: [String: [String]] = [:]
  }

  @Option(
    help: .value(
      "time",
      "Time since their last use: 30d, 12h, 90m. Choose more than results need to reach devices."
    ))
  var olderThan: String
  @OptionGroup var options: Options
  @Flag(help: "Only say what would be removed.") var dryRun = false

  func run() async throws {
    let settings = try options.sources().values(Options.rows).enrichment
    let age = try CommandError.prefixed("--older-than: ", age)
    if let lifecycle = (try? settings.storePlace)?.lifecycle {
      try Self.printRule(lifecycle, age: age, of: settings.store)
    }
    do throws(StoreError) {
      let result = try DirectoryStore(path: settings.store).prune(
        unusedFor: age, extensions: Self.extensions, isDryRun: dryRun)
      Console.line(
        "\(result.files.of("file")) of \(result.bytes) bytes \(dryRun ? "would be removed" : "removed"), \(result.kept.of("file")) in use"
      )
      guard let failure = result.failure else { return }
      let first = result.failed == 1 ? "" : "the first: "
      ExitStatus.usage.end(
        "\(result.failed.of("file")) cannot be removed: run it as the owner (\(first)\(failure))")
    } catch {
      throw CommandError("\(error): \(error.advice)")
    }
  }

  /// Prints the rule that prunes a bucket. Throws, because nothing has been pruned.
  private static func printRule(
    _ lifecycle: StorePlace.Lifecycle, age: Int, of store: String
  ) throws(CommandError) -> Never {
    let days = (age + 86_399) / 86_400
    guard days >= lifecycle.leastDays else {
      throw CommandError(
        "--older-than: results name objects of up to \(lifecycle.leastDays / 2) days without renewing them: write \(lifecycle.leastDays)d or more"
      )
    }
    Console.output(lifecycle.rule(days))
    if lifecycle.isForWholeBucket {
      Console.line(
        "the store has no prefix, so this rule removes every object in the bucket, including those of others: if there are any, give the store a prefix"
      )
    }
    throw CommandError(
      "nothing was removed: a bucket prunes itself once it has the lifecycle rule that is on stdout. Add the rule to those that the bucket of \(store) has, because this command replaces them all: aws s3api put-bucket-lifecycle-configuration --bucket BUCKET --lifecycle-configuration file://RULES.json"
    )
  }

  private static let extensions = Set(
    MediaFormat.allCases.map(\.filenameExtension) + [ActionsFile.filenameExtension])

  /// Reads `--older-than`. Throws if it is so short that a result may still be on its way.
  private func age() throws(CommandError) -> Int {
    let age = try Parse.age(olderThan)
    guard age < DirectoryStore.leastAge else { return age }
    throw CommandError(
      "'\(olderThan)' is too short: what was used in the last \(DirectoryStore.leastAge) seconds is in use; write 1m or more"
    )
  }
}
