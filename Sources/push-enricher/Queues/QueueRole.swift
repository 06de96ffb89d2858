/// What a queue is for.
enum QueueRole: CaseIterable {
  case incoming
  case enriched
  case deadLetters

  /// The option of `work` that names it, which also names it in the environment and in the file of options,
  /// for all commands.
  var option: OptionName {
    switch self {
    case .incoming: .from
    case .enriched: .to
    case .deadLetters: .deadLetters
    }
  }

  /// The queue if a URL names none.
  var queueName: String {
    switch self {
    case .incoming: "incoming"
    case .enriched: "enriched"
    case .deadLetters: "dead-letters"
    }
  }

  /// One database file in the working directory.
  var defaultURL: String { "sqlite:push-enricher.db?queue=\(queueName)" }
}
