/// Where the keys are.
package enum KeyLocation: Equatable, Sendable {
  case file(String)
  /// Each file of the directory whose name ends in `.json` and does not start with a dot.
  case directory(String)
}
