/// The options that the environment and the file may set, queues included, so that one file serves all
/// commands. The raw value is the name on the command line and in the file.
enum OptionName: String, CaseIterable {
  case store
  case publicURL = "public-url"
  case deadline, memory, concurrency
  case allowNetwork = "allow-network"
  case denyNetwork = "deny-network"
  case allowHTTP = "allow-http"
  case allowDowngrade = "allow-downgrade"
  case allowPort = "allow-port"
  case mediaKey = "media-key"
  case keys
  case keysDir = "keys-dir"
  case caFile = "ca-file"
  case nameServers = "name-servers"
  case requireAll = "require-all"
  case requireSandbox = "require-sandbox"
  case write
  case attachmentsKey = "attachments-key"
  case limits, cache, from, to
  case deadLetters = "dead-letters"
  case untilEmpty = "until-empty"
  case status
  case waitForQueues = "wait-for-queues"
  case whenStoreFails = "when-store-fails"

  /// Those that may hold a password. Their value can also be in a file that `PUSH_ENRICHER_FROM_FILE` names,
  /// which is how containers get secrets.
  static let secrets = QueueRole.allCases.map(\.option)

  /// Whether its one value is a list by commas, which may also be a list in the file.
  var isList: Bool { [.limits, .nameServers, .write].contains(self) }

  /// Its name in the environment.
  var variable: String { OptionSources.variable(rawValue) }

  /// What names the file of a secret in the environment.
  var secretVariable: String { variable + "_FILE" }
}
