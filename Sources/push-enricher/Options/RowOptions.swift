internal import ArgumentParser

/// Options that are declared by rows. ArgumentParser uses reflection to find the wrapped properties
/// of a type, and then decodes them. The mirror shows it one wrapped property for each row.
protocol RowOptions: ParsableArguments, CustomReflectable {
  static var rows: [OptionRow] { get }
  /// The values on the command line, by option name.
  var given: [String: [String]] { get set }
}

extension RowOptions {
  var customMirror: Mirror {
    Mirror(self, children: Self.rows.map { (label: Optional($0.name), value: $0.property) })
  }

  init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: RowKey.self)
    for row in Self.rows { given[row.name] = try row.values(in: container) }
  }

  /// Reads all sources of options of this process. Call it once: a pipe can be read only once.
  func sources() throws(CommandError) -> OptionSources {
    try OptionSources(commandLine: given, environment: ProcessEnvironment.variables)
  }
}

private struct RowKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension OptionRow {
  fileprivate var property: Any {
    let name = NameSpecification.customLong(name)
    return switch kind {
    case .flag: Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
    case .simpleFlag: Flag<Bool>(wrappedValue: false, name: name, help: help)
    case .one: Option<String?>(name: name, help: help)
    case .list, .many: Option<[String]>(wrappedValue: [], name: name, help: help)
    }
  }

  fileprivate func values(in container: KeyedDecodingContainer<RowKey>) throws -> [String] {
    let key = RowKey(stringValue: name)
    return switch kind {
    case .flag: try container.decode(Flag<Bool?>.self, forKey: key).wrappedValue.map { ["\($0)"] } ?? []
    case .simpleFlag: try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? ["true"] : []
    case .one: try container.decode(Option<String?>.self, forKey: key).wrappedValue.map { [$0] } ?? []
    case .list, .many: try container.decode(Option<[String]>.self, forKey: key).wrappedValue
    }
  }
}
