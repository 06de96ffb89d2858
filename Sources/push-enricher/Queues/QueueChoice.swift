internal import Connecting
internal import Dispatch
internal import Queueing

/// What a queue is for: by the option of `work` that names it, which is its name in the environment and in the file of options too,
/// for all commands.
enum QueueRole: String, CaseIterable {
  case incoming = "from"
  case enriched = "to"
  case deadLetters = "dead-letters"

  /// The queue where a URL names a file and no queue in it.
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

/// The queue that a command means: what its command line says, else the environment, else the file of options.
struct QueueChoice: CustomStringConvertible {
  private let role: QueueRole
  private let origin: String
  private let url: String

  /// - Parameters:
  ///   - option: as the command calls it, which is not always as `work` does.
  ///   - commandLine: what stands there.
  init(_ role: QueueRole, option: String, _ commandLine: String?, in sources: OptionSources) {
    self.role = role
    let found = commandLine == nil ? sources.find(role.rawValue, commandLine: []) : nil
    origin = found?.origin ?? option
    url = commandLine ?? found?.values.last ?? role.defaultURL
  }

  /// How messages name it; passwords do not belong there.
  var description: String { "\(origin) \(url.withoutPassword)" }

  /// Whether what is put into `other` comes out of this one.
  func isSameQueue(as other: QueueChoice) -> Bool {
    guard let url = try? QueueURL(url, defaultQueue: role.queueName),
      let otherURL = try? QueueURL(other.url, defaultQueue: other.role.queueName)
    else { return false }
    return url.isSameQueue(as: otherURL, defaultQueues: (role.queueName, other.role.queueName))
  }

  /// What it is called where it is counted.
  var label: QueueLabel? { QueueLabel(of: url, defaultQueue: role.queueName) }

  /// What it needs of this machine. Of what names no queue that is nothing; `open` says so.
  var files: QueueFiles? { try? QueueFiles(of: url, defaultQueue: role.queueName) }

  /// The queue, or the end of the process with what is wrong.
  /// - Parameter makesFile: whether one in a file is made where there is no such file.
  func open(in queues: Queues, makesFile: Bool = true) -> any Queue {
    do throws(QueueError) {
      return try queues.open(url, defaultQueue: role.queueName, makesFile: makesFile)
    } catch {
      end(opening: error)
    }
  }

  /// The queue, as soon as its broker is there, or the end of the process with what is wrong.
  /// - Parameters:
  ///   - end: until when it is tried again where the broker is away.
  ///   - tell: is told why there is another try, each time.
  func open(
    in queues: Queues, until end: ContinuousClock.Instant, _ tell: (QueueError) async -> Void
  ) async -> any Queue {
    let thread = DispatchQueue(label: "push-enricher.opening")
    while true {
      do throws(QueueError) {
        return try await thread.run { () throws(QueueError) in
          try queues.open(url, defaultQueue: role.queueName)
        }
      } catch {
        guard case .unavailable = error, .now < end else { self.end(opening: error) }
        await tell(error)
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func end(opening error: QueueError) -> Never {
    guard case .urlInvalid = error else { end(error) }
    // Of a secret, not even a part is told.
    let isSecret = origin == OptionSources.secretVariable(role.rawValue)
    let secret = "it holds no queue: write one like redis://HOST/STREAM or amqp://HOST/VHOST?queue=NAME"
    ExitStatus.usage.end("\(origin): \(isSecret ? secret : "\(error)")")
  }

  /// Ends the process with what the queue said.
  func end(_ error: QueueError) -> Never { ExitStatus.unavailable.end("\(self): \(error)") }
}

extension OptionSources {
  /// Those of this process, or its end with what is wrong with them.
  /// - Parameter file: that of `--config`.
  static func ofProcess(file: String? = nil) -> OptionSources {
    do throws(OptionError) {
      return try OptionSources(
        environment: ProcessEnvironment.variables, file: file, names: CommonOptions.names)
    } catch {
      ExitStatus.usage.end("\(error)")
    }
  }
}
