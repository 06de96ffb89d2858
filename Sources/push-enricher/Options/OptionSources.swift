internal import Glibc
internal import Notifications
internal import Queueing
internal import Supporting

/// Where the value of an option can come from: the command line wins, then the environment
/// (`PUSH_ENRICHER_…`), then the file.
struct OptionSources {
  struct Found {
    /// How messages call its place.
    let origin: String
    var texts: [String]
    var isOnCommandLine = false
  }

  private let commandLine: [String: [String]]
  private let environment: [String: String]
  private var files: [String: Found]

  /// - Parameter commandLine: values by names of options. `--config`, here or in the environment, names a JSON
  ///   object of option names: `{"store": "…", "allow-port": [8443]}`.
  /// - Throws: `CommandError` for a file that cannot be read, is not such an object, or names an unknown
  ///   option.
  init(commandLine: [String: [String]], environment: [String: String]) throws(CommandError) {
    self.commandLine = commandLine
    self.environment = environment
    let secrets = try Self.readSecrets(environment)
    files = [:]
    if let config = try find(.config), let path = config.texts.first {
      do throws(CommandError) {
        files = try Self.read(path)
      } catch {
        throw CommandError("\(config.origin) \(path)\(error)")
      }
    }
    files.merge(secrets) { $1 }
  }

  /// - Returns: nil if no source has the option; an empty variable is none. One text, unless the option may be
  ///   given several times.
  /// - Throws: `CommandError` if the file has several values, or an empty list, of an option that has one.
  func find(_ row: OptionRow) throws(CommandError) -> Found? {
    if let texts = commandLine[row.name], !texts.isEmpty {
      return Found(origin: "--\(row.name)", texts: texts, isOnCommandLine: true)
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

  /// What the options of `rows` say, over `values`.
  /// - Throws: `CommandError`, which names the place of a wrong value, what is wrong with it and what would be
  ///   right.
  func values(
    _ rows: [OptionRow], over values: OptionValues = OptionValues()
  ) throws(CommandError) -> OptionValues {
    var values = values
    for row in rows {
      guard let found = try find(row) else { continue }
      do throws(CommandError) {
        for text in found.texts { try row.use(text, found.origin, &values) }
      } catch {
        throw CommandError("\(found.origin): \(error)")
      }
    }
    return values
  }

  /// Variables of `environment` that look as if they named an option, and name none, sorted.
  static func unknownVariables(_ environment: [String: String]) -> [String] {
    // Those of a build for tests, too.
    let others = ["config", "lease", "fault", "fault-skips"].map(OptionRow.variable)
    let known = Set(OptionRow.all.map(\.variable) + OptionRow.secrets.map(\.secretVariable) + others)
    return environment.filter { name, value in
      name.hasPrefix(OptionRow.variable("")) && !known.contains(name) && !isOfKubernetes(name, value)
    }.keys.sorted()
  }

  /// Whether Kubernetes tells of a service with it, whose name begins with push-enricher:
  /// kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    let names = ["_SERVICE_HOST", "_SERVICE_PORT", "_TCP_", "_UDP_", "_SCTP_"]
    return names.contains { name.contains($0) }
      || ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
  }

  /// Those that the environment names files of.
  /// - Throws: `CommandError` for a file that cannot be read or is empty, and for a value that the environment
  ///   has too.
  private static func readSecrets(
    _ environment: [String: String]
  ) throws(CommandError) -> [String: Found] {
    var found: [String: Found] = [:]
    for row in OptionRow.secrets {
      let origin = row.secretVariable
      guard let path = environment[origin], !path.isEmpty else { continue }
      guard environment[row.variable, default: ""].isEmpty else {
        throw CommandError("\(origin): \(row.variable) is set as well: set one of the two")
      }
      do throws(CommandError) {
        let (bytes, exposure) = try contents(of: path)
        if let exposure { throw CommandError(": \(exposure.advice(on: path))") }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.count == 1 else {
          throw CommandError(" has \(lines.count) lines: write the value into it, and nothing else")
        }
        found[row.name] = Found(origin: origin, texts: [String(lines[0])])
      } catch {
        throw CommandError("\(origin) \(path)\(error)")
      }
    }
    return found
  }

  /// - Returns: also why it is no place for a secret, if it is none.
  private static func contents(of path: String) throws(CommandError) -> ([UInt8], FileExposure?) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw CommandError(": \(String(errno: errno))") }
    defer { close(file) }
    let exposure = FileExposure(of: file)
    guard let bytes = FileBytes.read(file, maximum: 65_536) else {
      throw CommandError(": \(String(errno: errno))")
    }
    return (bytes, exposure)
  }

  private static func read(_ path: String) throws(CommandError) -> [String: Found] {
    let (bytes, exposure) = try contents(of: path)
    let document = try CommandError.wrapping(" is not JSON: ") { () throws(JSONError) in
      try JSONDocument(bytes)
    }
    guard document.root.kind == .object else {
      throw CommandError(#": write a JSON object like {"store": "/srv/media"}"#)
    }
    var found: [String: Found] = [:]
    for member in document.root.members {
      let names = OptionRow.all.map(\.name)
      guard names.contains(member.name) else {
        throw CommandError(
          ": there is no option '\(member.name)'; there are \(names.joined(separator: ", "))")
      }
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      guard !values.contains(where: { [.object, .array, .null].contains($0.kind) }) else {
        throw CommandError(": '\(member.name)' is a text, a number, true or false, or a list of them")
      }
      found[member.name] = Found(
        origin: "\(member.name) in \(path)", texts: values.map { $0.string ?? $0.spelling })
    }
    // Without a password, it may be for all to read.
    let secrets = OptionRow.secrets.flatMap { found[$0.name]?.texts ?? [] }
    if let exposure, secrets.contains(where: { $0.withoutPassword != $0 }) {
      throw CommandError(" holds a password, and \(exposure.advice(on: path))")
    }
    return found
  }
}

/// The environment of the process, without Foundation.
enum ProcessEnvironment {
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    var index = 0
    while let entry = unsafe environ[index] {
      let sides = unsafe String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2 { variables[String(sides[0])] = String(sides[1]) }
      index += 1
    }
    return variables
  }
}
