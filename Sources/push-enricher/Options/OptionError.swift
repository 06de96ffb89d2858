/// What is wrong with the command line, the environment or a file that they name, and what would be right, in
/// one sentence: status 64.
struct OptionError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// What `body` gives, or the end of the process with what is wrong.
  static func orExit<Value>(_ body: () throws(OptionError) -> Value) -> Value {
    do throws(OptionError) {
      return try body()
    } catch {
      ExitStatus.usage.end("\(error)")
    }
  }
}
