/// A command line that cannot be done, and what would be right, in one sentence.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
