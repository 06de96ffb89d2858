internal import Glibc
internal import Notifications
internal import Queueing
internal import Supporting

/// The sources of the options: the command line wins, then the environment, then the file.
struct OptionSources {
  struct Found {
    /// Where it was set, for messages.
    let origin: String
    var texts: [String]
  }

  private let commandLine: [String: [String]]
  private let environment: [String: String]
  private var files: [String: Found] = [:]

  /// - Parameter commandLine: the values by option name. `--config`, here or in the environment,
  ///   names a JSON file of values by option name: `{"store": "…", "allow-port": [8443]}`.
  init(commandLine: [String: [String]], environment: [String: String]) throws(CommandError) {
    self.commandLine = commandLine
    self.environment = environment
    let secrets = try Self.readSecrets(environment)
    if let config = try find(.config), let path = config.texts.first {
      files = try CommandError.prefixed("\(config.origin) \(path)") { try Self.read(path) }
    }
    files.merge(secrets) { $1 }
  }

  /// Returns one text, or several if the option may be repeated. Returns nil if no source sets it.
  /// An empty variable counts as not set.
  func find(_ row: OptionRow) throws(CommandError) -> Found? {
    if let texts = commandLine[row.name], !texts.isEmpty {
      return Found(origin: "--\(row.name)", texts: row.kind == .list ? [texts.joined(separator: ",")] : texts)
    }
    if let text = environment[row.variable], !text.isEmpty {
      let texts = row.kind == .many ? text.split(separator: ",").map { String($0) } : [text]
      return Found(origin: row.variable, texts: texts)
    }
    guard var found = files[row.name] else { return nil }
    if row.kind == .list { found.texts = [found.texts.joined(separator: ",")] }
    guard found.texts.count == 1 || row.kind == .many else {
      throw CommandError("\(found.origin): there are \(found.texts.count) values: write one")
    }
    return found
  }

  /// Returns `values` with the options of `rows` applied to them.
  func values(
    _ rows: [OptionRow], over values: OptionValues = OptionValues()
  ) throws(CommandError) -> OptionValues {
    var values = values
    for row in rows {
      guard let found = try find(row) else { continue }
      try CommandError.prefixed("\(found.origin): ") {
        for text in found.texts { try row.use(text, found.origin, &values) }
      }
    }
    return values
  }

  /// The variables of `environment` that look like options but are not, sorted.
  static func unknownVariables(_ environment: [String: String]) -> [String] {
    // All but `config` exist only in builds for tests.
    let others = ["config", "lease", "fault", "fault-skips"].map(OptionRow.variable)
    let known = Set(OptionRow.all.map(\.variable) + OptionRow.secrets.map(\.secretVariable) + others)
    return environment.filter { name, value in
      name.hasPrefix(OptionRow.variable("")) && !known.contains(name) && !isOfKubernetes(name, value)
    }.keys.sorted()
  }

  /// Whether Kubernetes has set the variable, for a service whose name starts with push-enricher:
  /// kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    ["_SERVICE_HOST", "_SERVICE_PORT", "_TCP_", "_UDP_", "_SCTP_"].contains { name.contains($0) }
      || ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
  }

  /// Reads the options whose values are in files that the environment names.
  private static func readSecrets(_ environment: [String: String]) throws(CommandError) -> [String: Found] {
    var found: [String: Found] = [:]
    for row in OptionRow.secrets {
      let origin = row.secretVariable
      guard let path = environment[origin], !path.isEmpty else { continue }
      guard environment[row.variable, default: ""].isEmpty else {
        throw CommandError("\(origin): \(row.variable) is set as well: set one of the two")
      }
      found[row.name] = try CommandError.prefixed("\(origin) \(path)") {
        let (bytes, exposure) = try contents(of: path)
        if let exposure { throw CommandError(": \(exposure.advice(on: path))") }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.count == 1 else {
          throw CommandError(" has \(lines.count) lines: write the value into it, and nothing else")
        }
        return Found(origin: origin, texts: [String(lines[0])])
      }
    }
    return found
  }

  /// - Returns: the bytes, and why the file is not safe for a secret, or nil if it is.
  private static func contents(of path: String) throws(CommandError) -> ([UInt8], FileExposure?) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, let bytes = FileBytes.read(file, maximum: 65_536) else {
      throw CommandError(": \(String(errno: errno))")
    }
    return (bytes, FileExposure(of: file))
  }

  private static func read(_ path: String) throws(CommandError) -> [String: Found] {
    let (bytes, exposure) = try contents(of: path)
    let document = try CommandError.prefixed(" is not JSON: ") { try JSONDocument(bytes) }
    guard document.root.kind == .object else {
      throw CommandError(#": write a JSON object like {"store": "/srv/media"}"#)
    }
    let names = OptionRow.all.map(\.name)
    var found: [String: Found] = [:]
    for member in document.root.members {
      guard names.contains(member.name) else {
        let known = names.joined(separator: ", ")
        throw CommandError(": there is no option '\(member.name)'; the options are \(known)")
      }
      guard found[member.name] == nil else {
        throw CommandError(": '\(member.name)' is there twice; write it once, several values as a list")
      }
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      guard !values.contains(where: { [.object, .array, .null].contains($0.kind) }) else {
        throw CommandError(": '\(member.name)' must be a string, a number, true or false, or a list of them")
      }
      found[member.name] = Found(
        origin: "\(member.name) in \(path)", texts: values.map { $0.string ?? $0.spelling })
    }
    // A file without a password may be readable by everyone.
    let secrets = OptionRow.secrets.flatMap { found[$0.name]?.texts ?? [] }
    if let exposure, secrets.contains(where: { $0.withoutPassword != $0 }) {
      throw CommandError(" holds a password, and \(exposure.advice(on: path))")
    }
    return found
  }
}
