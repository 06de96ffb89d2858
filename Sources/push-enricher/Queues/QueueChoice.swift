internal import Connecting
internal import Queueing

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
  fileprivate var defaultURL: String { "sqlite:push-enricher.db?queue=\(queueName)" }
}

/// The queue that a command uses: from its command line, else the environment, else the file of options.
struct QueueChoice: CustomStringConvertible {
  private let role: QueueRole
  private let origin: String
  private let text: String
  /// What `text` names, or what is wrong with it.
  private let url: Result<QueueURL, QueueError>

  /// Ends the process where the file of options has several.
  /// - Parameters:
  ///   - option: the command's own name for the option, which may differ from `work`'s.
  ///   - commandLine: its value there; nil where it is not given.
  init(_ role: QueueRole, option: String, _ commandLine: String?, in sources: OptionSources) {
    self.role = role
    let found = OptionError.orExit { () throws(OptionError) in
      commandLine == nil ? try sources.findOne(role.option, nil) : nil
    }
    origin = found?.origin ?? option
    text = commandLine ?? found?.text ?? role.defaultURL
    do throws(QueueError) {
      url = .success(try QueueURL(text, defaultQueue: role.queueName))
    } catch {
      url = .failure(error)
    }
  }

  /// For messages: without the password.
  var description: String { "\(origin) \(text.withoutPassword)" }

  /// Whether messages put into `other` come out of this one.
  func isSameQueue(as other: QueueChoice) -> Bool {
    guard let url = try? url.get(), let otherURL = try? other.url.get() else { return false }
    return url.isSameQueue(as: otherURL)
  }

  /// Its name in metrics.
  var label: QueueLabel? { try? url.get().label }

  /// What it needs of this machine; nil where the URL names no queue, which `open` reports.
  var files: QueueFiles? { try? url.get().files }

  /// The queue, or the end of the process with what is wrong.
  /// - Parameter createsFile: whether a missing database file is created.
  func open(in queues: Queues, createsFile: Bool = true) -> any Queue {
    do throws(QueueError) {
      return try tryToOpen(in: queues, createsFile: createsFile)
    } catch {
      end(opening: error) { $0.end($1) }
    }
  }

  /// The same for those that try again.
  func tryToOpen(in queues: Queues, createsFile: Bool = true) throws(QueueError) -> any Queue {
    try queues.open(url.get(), createsFile: createsFile)
  }

  /// Ends the process with what is wrong.
  /// - Parameters:
  ///   - error: what `tryToOpen` threw.
  ///   - end: ends the process.
  func end(opening error: QueueError, _ end: (ExitStatus, String) -> Never) -> Never {
    guard case .urlInvalid(_, let fault, _) = error else { end(.unavailable, "\(self): \(error)") }
    // Of a secret, not even a part is told, but which part is wrong.
    let isSecret = origin == role.option.secretVariable
    let secret = "it holds no queue: write one like redis://HOST/STREAM or amqp://HOST/VHOST?queue=NAME"
    end(.usage, "\(origin): \(isSecret ? "\(secret); \(fault.rule)" : "\(error)")")
  }

  /// Ends the process with the error of the queue.
  func end(_ error: QueueError) -> Never { ExitStatus.unavailable.end("\(self): \(error)") }
}
