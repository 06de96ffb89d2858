internal import BuiltInQueueing
internal import Queueing

/// What a queue is used for. The raw value is the name of the queue if the URL has none.
enum QueueRole: String {
  case incoming, enriched
  case deadLetters = "dead-letters"
  case deadTokens = "dead-tokens"

  /// The option of `work` that names it. In the environment and the file, all commands read it.
  var row: OptionRow {
    switch self {
    case .incoming: .from
    case .enriched: .to
    case .deadLetters: .deadLetters
    case .deadTokens: .deadTokens
    }
  }

  /// What `work` does with it, after "the queue that work".
  var useByWork: String {
    switch self {
    case .incoming: "takes from"
    case .enriched: "publishes into"
    case .deadLetters, .deadTokens: "adds to"
    }
  }

  /// The default queues are all in one database file in the working directory.
  var defaultURL: String { "sqlite:push-enricher.db?queue=\(rawValue)" }
}

/// The queue that a command uses: from its command line, the environment or the configuration file.
struct QueueChoice: CustomStringConvertible {
  let role: QueueRole
  private let option: String
  private let origin: String
  private let text: String
  /// The queue that `text` names, or what is wrong with `text`.
  let url: Result<any QueueURL, QueueError>
  /// Whether it is not the default.
  let isNamed: Bool

  /// - Parameters:
  ///   - option: the command's own option and its value, or nil for the option of `work`.
  ///   - source: if the queue is not named, it is beside this one, unless `source` is a pipe.
  init(
    _ role: QueueRole, option: (name: String, value: String?)? = nil, in sources: OptionSources,
    beside source: QueueChoice? = nil
  ) throws(CommandError) {
    self.role = role
    self.option = option?.name ?? "--\(role.row.name)"
    let found = option?.value == nil ? try sources.find(role.row) : nil
    origin = found?.origin ?? self.option
    let named = option?.value ?? found?.texts.first
    isNamed = named != nil
    text = named ?? source?.sibling(role) ?? role.defaultURL
    url = Result { [text] () throws(QueueError) in
      try QueueKind.builtIn.url(text, defaultQueue: role.rawValue)
    }
  }

  /// The text used in messages, without the password.
  var description: String { "\(origin) \(text.withoutPassword)" }

  /// The warning that a password is on the command line, or nil if there is none.
  var warning: String? {
    guard isNamed, origin.hasPrefix("--"), text.withoutPassword != text else { return nil }
    return role.row.passwordWarning(for: "\(self)")
  }

  /// Whether messages put into `other` come out of this one.
  func isSameQueue(as other: QueueChoice) -> Bool {
    guard let url = try? url.get(), let otherURL = try? other.url.get() else { return false }
    return url.isSameQueue(as: otherURL)
  }

  /// The name of the queue in metrics.
  var label: QueueLabel? { try? url.get().label }
  /// Who can reach it if it is a door. Nil for a queue.
  var door: DoorReach? { try? url.get().door }
  /// Whether messages put into it go to devices.
  var sendsToDevices: Bool { (try? url.get().sendsToDevices) ?? false }
  /// What it needs from the sandbox. Nil if the URL is wrong, which `open` reports.
  var needs: QueueNeeds? { try? url.get().needs }

  /// - Parameter createsFile: whether a missing database file is created.
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool = true) throws(CommandError) -> any Queue
  {
    do throws(QueueError) {
      let queue = try url.get().open(in: queues, for: use, createsFile: createsFile)
      if let warning { Console.line(warning) }
      return queue
    } catch {
      throw failure(opening: error)
    }
  }

  /// The queue of --dead-tokens; nil if it is not named.
  static func deadTokens(_ sources: OptionSources) throws(CommandError) -> QueueChoice? {
    let choice = try QueueChoice(.deadTokens, in: sources)
    return choice.isNamed ? choice : nil
  }

  func failure(opening error: QueueError) -> CommandError {
    guard case .urlInvalid(_, let fault, _) = error else { return failure(error) }
    // Shows no part of the secret, but says what is wrong with it.
    let secret = "it holds no queue: write one like redis://HOST/STREAM or amqp://HOST/VHOST?queue=NAME"
    return CommandError("\(origin): \(isSecret ? "\(secret); \(fault.rule)" : "\(error)")")
  }

  func failure(_ error: QueueError) -> CommandError { CommandError("\(self): \(error)", .unavailable) }

  /// Throws if nothing can ever be taken from it, although its URL is right.
  func checkSource() throws(CommandError) {
    guard !sendsToDevices else {
      throw CommandError("\(self): APNs is a target: name it with --to, and take from a queue")
    }
  }

  /// Throws if it is no place for `contents`, although its URL is right.
  /// - Parameter source: the queue whose messages or results they are.
  func check(for contents: String, from source: QueueChoice) throws(CommandError) {
    guard !source.isSameQueue(as: self) else {
      throw CommandError(
        "\(self): this is the queue that --from names: \(contents) would be taken again, forever")
    }
    guard door == nil else {
      throw CommandError("\(self): a door is for --from of work alone: name a queue for \(contents)")
    }
    guard role == .enriched || !sendsToDevices else {
      throw CommandError("\(self): APNs takes no \(contents): name a queue for them")
    }
  }

  /// Throws if this queue is named and `other` is not. The default of `other` goes only with the
  /// default of this one. Otherwise a worker could take from a broker and publish into an unused file.
  func check(hasCompanion other: QueueChoice) throws(CommandError) {
    guard let example = example(ofCompanion: other) else { return }
    throw CommandError(
      "\(shown): name \(other.option) as well, like \(example), because its default, push-enricher.db, goes with the default of \(option) only"
    )
  }

  /// Throws if this queue is not named, but the environment or the file names the queue of `role`:
  /// a worker on that queue does not use the default of this one.
  /// - Parameter command: what the command does with this queue: `dequeue reads`.
  func expectNoOther(
    _ role: QueueRole, in sources: OptionSources, because command: String
  ) throws(CommandError) {
    let other = try QueueChoice(role, in: sources)
    guard let example = other.example(ofCompanion: self) else { return }
    guard other.door == nil else {
      throw CommandError(
        "\(other.shown): work answers the clients of this door with the results; if it has a --to, give \(option) that URL"
      )
    }
    let isVariable = other.origin.hasPrefix(OptionRow.variable(""))
    let missing = isVariable ? self.role.row.variable : "\"\(self.role.row.name)\" there"
    throw CommandError(
      "\(other.shown): this is the queue that work \(role.useByWork), and \(command) the one that work \(self.role.useByWork): set \(missing) as well, or give \(option), like \(example)"
    )
  }

  /// The option for `other`, with a queue beside this one. Nil if both are named, or both may be the default.
  private func example(ofCompanion other: QueueChoice) -> String? {
    guard isNamed, !other.isNamed, let url = try? url.get(), !isSame(url, as: role.defaultURL) else {
      return nil
    }
    let sibling = url.sibling(other.role.rawValue, of: text) ?? text
    let name = isSame(url, as: sibling) ? "others" : other.role.rawValue
    let example = isSecret ? url.example(name) : url.sibling(name, of: text) ?? text
    return "\(other.option) '\(example.withoutPassword)'"
  }

  private func isSame(_ url: any QueueURL, as other: String) -> Bool {
    let other = try? QueueKind.builtIn.url(other, defaultQueue: role.rawValue)
    return other.map(url.isSameQueue) ?? false
  }

  /// The text used in messages, without any part of a secret.
  private var shown: String { isSecret ? origin : description }

  private var isSecret: Bool { origin == role.row.secretVariable }

  /// The URL of the queue of `role` beside this one. Nil if this one is a pipe or the default.
  private func sibling(_ role: QueueRole) -> String? {
    isNamed ? try? url.get().sibling(role.rawValue, of: text) : nil
  }
}
