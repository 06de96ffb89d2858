internal import Notifications

extension Parse {
  static func envelope(_ name: String) throws(CommandError) -> EnvelopeChoice {
    if name == "none" { return .none }
    guard EnvelopeChoice.names.contains(name) else {
      let names = EnvelopeChoice.names.joined(separator: ", ")
      throw CommandError("'\(name)' is not a known envelope: write one of \(names), or none")
    }
    return .named(name)
  }

  /// Adds a place of payloads after those of `choice`.
  static func place(_ text: String, after choice: EnvelopeChoice) throws -> EnvelopeChoice {
    let key = try MediaKey(text)
    switch choice {
    case .automatic: return .places([key])
    case .places(let keys): return .places(keys + [key])
    case .none, .named:
      throw CommandError(
        "--envelope already says where the payload is: give one of the two, --envelope or --payload-at")
    }
  }
}
