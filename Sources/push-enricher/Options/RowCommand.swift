internal import ArgumentParser

/// A command whose options are all rows, so that its command line can be read from them. ArgumentParser finds options
/// by reflection, which takes a sixth of the time of enriching one payload. It still reads what is not plain: a request
/// for help, or a mistake, which it explains.
protocol RowCommand: ParsableCommand {
  static var rows: [OptionRow] { get }
  static var takesFile: Bool { get }
  /// Sets all properties that ArgumentParser would set.
  mutating func take(_ line: PlainCommandLine)
}

extension RowCommand {
  static var takesFile: Bool { false }

  /// Returns nil if the arguments are wrong, or ask for help.
  static func read(_ arguments: ArraySlice<String>) -> Self? {
    guard let line = PlainCommandLine(arguments, rows, takesFile: takesFile) else {
      return try? parse(Array(arguments))
    }
    var command = Self()
    command.take(line)
    return command
  }
}

extension RowOptions {
  init(_ line: PlainCommandLine) {
    self.init()
    for row in Self.rows { given[row.name] = line.given[row.name] }
  }
}

extension OptionRow {
  fileprivate var isFlag: Bool { kind == .flag || kind == .simpleFlag }
}

/// Arguments as most people write them: `--name value`, `--name=value`, `--flag`, `--no-flag`, and perhaps a file.
struct PlainCommandLine {
  private(set) var given: [String: [String]] = [:]
  private(set) var file: String?

  /// Returns nil if there is anything else among the arguments.
  init?(_ arguments: ArraySlice<String>, _ rows: [OptionRow], takesFile: Bool) {
    var rest = arguments
    while let argument = rest.popFirst() {
      guard argument.utf8.starts(with: "--".utf8) else {
        guard takesFile, file == nil, Self.isValue(argument) else { return nil }
        file = argument
        continue
      }
      let parts = argument.utf8.dropFirst(2).split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first.flatMap({ String($0) }) else { return nil }
      if let row = rows.first(where: { $0.name == name && !$0.isFlag }) {
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(),
          parts.count > 1 ? !value.isEmpty : Self.isValue(value), row.kind != .one || given[name] == nil
        else { return nil }
        given[name, default: []].append(value)
      } else {
        let isNamed = { (row: OptionRow) in
          row.isFlag && row.name == name || row.kind == .flag && "no-" + row.name == name
        }
        guard let row = rows.first(where: isNamed), parts.count == 1, given[row.name] == nil else {
          return nil
        }
        given[row.name] = ["\(row.name == name)"]
      }
    }
  }

  /// Whether the argument cannot be taken for an option.
  private static func isValue(_ argument: String) -> Bool {
    argument == "-" || !argument.isEmpty && argument.utf8.first != UInt8(ascii: "-")
  }
}
