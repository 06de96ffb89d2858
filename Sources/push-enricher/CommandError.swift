internal import Decrypting
internal import Demonstrating
internal import Enriching
internal import Fetching
internal import Sniffing

/// Why a command ends. The description says what is wrong and how to fix it, in one sentence.
struct CommandError: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  /// - Parameter status: defaults to a mistake on the command line, in the environment or in a file
  ///   that one of them names.
  init(_ description: String, _ status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }

  /// Returns nil if `error` is not one that commands explain to the user.
  init?(_ error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as DemoError: self.init(error.description)
    case let error as SealingError:
      self.init(error.description, error == .notAnObject ? .badInput : .usage)
    case let error as SetupError: self.init(setup: error)
    default: return nil
    }
  }

  init(setup error: SetupError) {
    switch error {
    case .fetching(.tlsFailed(let detail)): self.init("--ca-file: \(detail)")
    case .fetching(let error): self.init("the fetcher did not start: \(error)", .defect)
    case .openFiles(let limit):
      self.init(
        "\(limit) open files leave no room for a single download: allow more (ulimit -n, LimitNOFILE= in systemd)"
      )
    case .keys(let error): self.init("the keys cannot be used: \(error)")
    case .cacheFile(let error): self.init("the URL cache cannot be used: \(error)")
    case .categories(let error): self.init("the categories cannot be used: \(error)")
    case .sniffing(let error): self.init("the self-test failed: \(error)", .defect)
    case .decrypting(.answersOtherwise(primitive: let primitive)):
      self.init(
        "the self-test failed: OpenSSL's \(primitive) is missing or wrong: reinstall libssl3, and look at /etc/ssl/openssl.cnf",
        .defect)
    case .decrypting(let error): self.init("the self-test failed: \(error)", .defect)
    }
  }

  /// Returns the result of `body`. Rethrows its error as a user's mistake, with `prefix` in front.
  static func prefixed<Value>(_ prefix: String, _ body: () throws -> Value) throws(CommandError) -> Value {
    do { return try body() } catch { throw CommandError("\(prefix)\(error)") }
  }
}
