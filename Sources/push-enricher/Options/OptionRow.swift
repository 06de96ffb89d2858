internal import ArgumentParser

/// An option of the command line, the environment and the configuration file. The flag, the variable
/// and the key in the file follow from its name. A test compares its help with Options.md.
struct OptionRow: Sendable {
  enum Kind {
    case flag, one
    /// A flag that needs no `--no-NAME`, because only the command line sets it.
    case simpleFlag
    /// One value that is a comma-separated list. In the file it may also be a JSON list, and on the command
    /// line several lists count as one.
    case list
    /// May be given several times. In the environment, commas separate the values.
    case many
  }

  /// Reads a value and applies it. `origin` says where the value was set, for messages.
  typealias Use = @Sendable (String, _ origin: String, inout OptionValues) throws -> Void

  /// The name on the command line and in the file: `public-url`.
  let name: String
  let kind: Kind
  private let placeholder: String?
  private var meaning: String
  private var defaultText: String?
  let use: Use

  init(
    _ name: String, kind: Kind = .one, _ placeholder: String?, _ meaning: String,
    default defaultText: String? = nil, use: @escaping Use = { _, _, _ in }
  ) {
    self.name = name
    self.kind = kind
    self.placeholder = placeholder
    self.meaning = meaning
    self.defaultText = defaultText
    self.use = use
  }

  /// An option that sets `property`.
  init<Value>(
    _ name: String, kind: Kind = .one, _ placeholder: String?, _ meaning: String,
    default defaultText: String? = nil, _ property: any WritableKeyPath<OptionValues, Value> & Sendable,
    _ parse: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(name, kind: kind, placeholder, meaning, default: defaultText) { text, _, values in
      values[keyPath: property] = try parse(text)
    }
  }

  /// `--NAME` and `--no-NAME`, which is the default.
  static func flag(
    _ name: String, _ meaning: String, _ property: any WritableKeyPath<OptionValues, Bool> & Sendable
  ) -> OptionRow {
    OptionRow(name, kind: .flag, nil, meaning, default: "--no-\(name)", property, Parse.truth)
  }

  /// The same option with the help text of another command.
  func explained(_ meaning: String, default defaultText: String? = nil) -> OptionRow {
    var row = self
    row.meaning = meaning
    row.defaultText = defaultText
    return row
  }

  var variable: String { Self.variable(name) }
  /// The variable that names a file with the value, if the value may be a secret.
  var secretVariable: String { variable + "_FILE" }

  static func variable(_ name: String) -> String {
    "PUSH_ENRICHER_" + name.uppercased().map { $0 == "-" ? "_" : $0 }
  }

  /// - Parameter place: where a password is, without the password.
  func passwordWarning(for place: String) -> String {
    "\(place): every user of this machine can read a password on the command line: set "
      + "\(variable) or \(secretVariable), or write password-file=PATH instead"
  }

  var help: ArgumentHelp {
    let text = meaning + (kind == .many ? " Repeatable." : "")
    return .value(placeholder, text + (defaultText.map { " (default: \($0))" } ?? ""))
  }
}

extension ArgumentHelp {
  static func value(_ name: String?, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}
