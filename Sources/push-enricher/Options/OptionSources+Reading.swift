extension OptionSources {
  /// The value of an option that has one.
  /// - Parameter commandLine: what the command line has; nil for nothing.
  /// - Returns: nil when no source has the option.
  /// - Throws: `OptionError`, which names the place of a wrong value, or of several.
  func read<Value>(
    _ name: OptionName, _ commandLine: String?, _ parse: (String) throws(OptionError) -> Value
  ) throws(OptionError) -> Value? {
    guard let found = try findOne(name, commandLine) else { return nil }
    return try Self.parse(found.text, of: found.origin, parse)
  }

  /// The text of an option that has one value, and how to name its place in a message.
  /// - Parameter commandLine: what the command line has; nil for nothing.
  /// - Returns: nil when no source has the option.
  /// - Throws: `OptionError` where the file has several values, or an empty list.
  func findOne(
    _ name: OptionName, _ commandLine: String?
  ) throws(OptionError) -> (origin: String, text: String)? {
    guard let found = find(name, commandLine: commandLine.map { [$0] } ?? []) else { return nil }
    guard found.values.count == 1 || name.isList else {
      throw OptionError("\(found.origin): there are \(found.values.count) values: write one")
    }
    return (found.origin, found.values.joined(separator: ","))
  }

  /// The values of an option that can be given several times; none when no source has it.
  /// - Parameter commandLine: what the command line has; empty for nothing.
  /// - Throws: `OptionError`, which names the place of a wrong value.
  func readAll<Value>(
    _ name: OptionName, _ commandLine: [String], _ parse: (String) throws(OptionError) -> Value
  ) throws(OptionError) -> [Value] {
    guard let found = find(name, commandLine: commandLine) else { return [] }
    let isVariable = commandLine.isEmpty && found.origin == name.variable
    let texts =
      isVariable ? found.values.flatMap { $0.split(separator: ",").map { String($0) } } : found.values
    return try texts.map { (text) throws(OptionError) in try Self.parse(text, of: found.origin, parse) }
  }

  private static func parse<Value>(
    _ text: String, of origin: String, _ parse: (String) throws(OptionError) -> Value
  ) throws(OptionError) -> Value {
    do throws(OptionError) {
      return try parse(text)
    } catch {
      throw OptionError("\(origin): \(error)")
    }
  }
}
