internal import BuiltInQueueing
internal import Queueing

/// The queue that a command uses: from its command line, else the environment, else the file of options.
struct QueueChoice: CustomStringConvertible {
  let role: QueueRole
  private let option: String
  private let origin: String
  private let text: String
  private let isOnCommandLine: Bool
  /// What `text` names, or what is wrong with it.
  private let url: Result<any QueueURL, QueueError>
  /// Whether somebody has named it.
  let isNamed: Bool

  /// Ends the process where the file of options has several.
  /// - Parameters:
  ///   - option: the command's own name for the option, which may differ from `work`'s.
  ///   - commandLine: its value there; nil where it is not given.
  ///   - source: if nobody names the queue, it lies beside this one, unless that is a pipe.
  init(
    _ role: QueueRole, option: String, _ commandLine: String?, in sources: OptionSources,
    beside source: QueueChoice? = nil
  ) {
    self.role = role
    self.option = option
    let found = OptionError.orExit { () throws(OptionError) in
      commandLine == nil ? try sources.findOne(role.option, nil) : nil
    }
    origin = found?.origin ?? option
    let named = commandLine ?? found?.text
    isNamed = named != nil
    text = named ?? source?.sibling(role) ?? role.defaultURL
    isOnCommandLine = commandLine != nil
    do throws(QueueError) {
      url = .success(try QueueKind.builtIn.url(text, defaultQueue: role.queueName))
    } catch {
      url = .failure(error)
    }
  }

  /// For messages: without the password.
  var description: String { "\(origin) \(text.withoutPassword)" }

  /// That a password is on the command line, for all users of the machine to see. Nil if none is.
  var warning: String? {
    guard isOnCommandLine, text.withoutPassword != text else { return nil }
    return "\(self): every user of this machine can read a password on the command line: set "
      + "\(role.option.variable) or \(role.option.secretVariable), or write password-file=PATH instead"
  }

  /// Whether messages put into `other` come out of this one.
  func isSameQueue(as other: QueueChoice) -> Bool {
    guard let url = try? url.get(), let otherURL = try? other.url.get() else { return false }
    return url.isSameQueue(as: otherURL)
  }

  /// Its name in metrics.
  var label: QueueLabel? { try? url.get().label }

  /// What it needs from the sandbox; nil if the URL names no queue, which `open` reports.
  var needs: QueueNeeds? { try? url.get().needs }

  /// The queue, or the end of the process with what is wrong.
  /// - Parameter createsFile: whether a missing database file is created.
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool = true) -> any Queue {
    do throws(QueueError) {
      let queue = try tryToOpen(in: queues, for: use, createsFile: createsFile)
      if let warning { Console.line(warning) }
      return queue
    } catch {
      end(opening: error) { $0.end($1) }
    }
  }

  /// The same for those that try again.
  func tryToOpen(
    in queues: Queues, for use: QueueUse, createsFile: Bool = true
  ) throws(QueueError) -> any Queue {
    try url.get().open(in: queues, for: use, createsFile: createsFile)
  }

  /// Ends the process with what is wrong.
  /// - Parameters:
  ///   - error: what `tryToOpen` threw.
  ///   - end: ends the process.
  func end(opening error: QueueError, _ end: (ExitStatus, String) -> Never) -> Never {
    guard case .urlInvalid(_, let fault, _) = error else { end(.unavailable, "\(self): \(error)") }
    // Of a secret, not even a part is told, but which part is wrong.
    let secret = "it holds no queue: write one like redis://HOST/STREAM or amqp://HOST/VHOST?queue=NAME"
    end(.usage, "\(origin): \(isSecret ? "\(secret); \(fault.rule)" : "\(error)")")
  }

  /// Ends the process with the error of the queue.
  func end(_ error: QueueError) -> Never { ExitStatus.unavailable.end("\(self): \(error)") }

  /// Throws if this queue is named and `other` is not. The default of `other` goes with the default of this one
  /// only: otherwise a worker takes from a broker and publishes into a file where nobody looks.
  func check(hasCompanion other: QueueChoice) throws(OptionError) {
    guard isNamed, !other.isNamed, let url = try? url.get(), !isSame(url, as: role.defaultURL) else { return }
    let sibling = url.sibling(other.role.queueName, of: text) ?? text
    let name = isSame(url, as: sibling) ? "others" : other.role.queueName
    let example = isSecret ? url.example(name) : url.sibling(name, of: text) ?? text
    throw OptionError(
      "\(isSecret ? origin : description): name \(other.option) as well, like \(other.option) '\(example.withoutPassword)', because its default, push-enricher.db, goes with the default of \(option) only"
    )
  }

  /// Ends the process if nobody names this queue, and the environment or the file of options names the one of
  /// `role`: whoever works there does not look at the default of this one.
  func expectNoOther(_ role: QueueRole, in sources: OptionSources) {
    let other = QueueChoice(role, option: "--\(role.option.rawValue)", nil, in: sources)
    OptionError.orExit { () throws(OptionError) in try other.check(hasCompanion: self) }
  }

  private func isSame(_ url: any QueueURL, as other: String) -> Bool {
    let other = try? QueueKind.builtIn.url(other, defaultQueue: role.queueName)
    return other.map(url.isSameQueue) ?? false
  }

  private var isSecret: Bool { origin == role.option.secretVariable }

  /// The URL of the queue of `role` beside this one; nil beside a pipe, and if this one has its default.
  private func sibling(_ role: QueueRole) -> String? {
    guard isNamed else { return nil }
    return try? url.get().sibling(role.queueName, of: text)
  }
}
