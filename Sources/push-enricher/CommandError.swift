internal import Decrypting
internal import Demonstrating
internal import Enriching
internal import Fetching
internal import Sniffing

/// An error that ends a command with a status of its own.
protocol EndingError: Error {
  var status: ExitStatus { get }
  var text: String { get }
}

/// What is wrong and what would be right, in one sentence.
struct CommandError: EndingError, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  /// - Parameter status: that of a mistake on the command line, in the environment or in a file that they name.
  init(_ description: String, _ status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }

  /// Returns what `body` returns; throws its error as a mistake of the user.
  static func wrapping<Value, Wrong: Error>(
    _ prefix: String = "", _ body: () throws(Wrong) -> Value
  ) throws(CommandError) -> Value {
    do throws(Wrong) {
      return try body()
    } catch {
      throw CommandError("\(prefix)\(error)")
    }
  }
}

extension EndingError where Self: CustomStringConvertible {
  var text: String { description }
}

extension DemoError: EndingError {
  var status: ExitStatus { .usage }
}

extension SealingError: EndingError {
  var status: ExitStatus { self == .notAnObject ? .badInput : .usage }
}

extension SetupError: EndingError {
  var text: String {
    switch self {
    case .fetching(.tlsFailed(let detail)): "--ca-file: \(detail)"
    case .fetching(let error): "the fetcher did not start: \(error)"
    case .openFiles(let limit):
      "\(limit) open files leave no room for a single download: allow more (ulimit -n, LimitNOFILE= in systemd)"
    case .keys(let error): "the keys cannot be used: \(error)"
    case .sniffing(let error): "the self-test failed: \(error)"
    case .decrypting(.answersOtherwise(primitive: let primitive)):
      "the self-test failed: OpenSSL's \(primitive) is missing or wrong: reinstall libssl3, and look at /etc/ssl/openssl.cnf"
    case .decrypting(let error): "the self-test failed: \(error)"
    }
  }

  var status: ExitStatus {
    switch self {
    case .fetching(.tlsFailed), .openFiles, .keys: .usage
    case .fetching, .sniffing, .decrypting: .defect
    }
  }
}
