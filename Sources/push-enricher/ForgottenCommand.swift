internal import ArgumentParser
internal import Glibc
internal import Supporting

/// `push-enricher payload.json`: the arguments are right, but no command is named.
enum ForgottenCommand {
  /// - Returns: the command line that was meant. Nil if that is unclear.
  static func hint(for arguments: [String]) -> String? {
    guard let first = arguments.first, !names.contains(first) else { return nil }
    if !first.hasPrefix("-"), unsafe access(first, F_OK) != 0 { return nil }
    let meant: String
    if (try? EnrichCommand.parse(arguments)) != nil {
      meant = "enrich"
    } else if (try? WorkCommand.parse(arguments)) != nil {
      meant = "work"
    } else {
      return nil
    }
    let line = ["push-enricher", meant] + arguments.map(quoted)
    return "the command is missing: write \(line.joined(separator: " "))"
  }

  private static var names: [String] {
    PushEnricher.configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  /// The argument as it is written in a shell.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.utf8.allSatisfy {
      $0.isASCIILetter || $0.isASCIIDigit || "_@%+=:,./-".utf8.contains($0)
    }
    return isPlain && !argument.isEmpty ? argument : "'\(argument.replacing("'", with: #"'\''"#))'"
  }
}
