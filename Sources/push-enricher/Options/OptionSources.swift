internal import Glibc
internal import Notifications
internal import Queueing
internal import Supporting

/// Where the value of an option can come from: the command line wins, then the environment
/// (`PUSH_ENRICHER_…`), then the file.
struct OptionSources {
  /// Values, and how to name their place in a message.
  typealias Found = (origin: String, values: [String])

  private let environment: [String: String]
  private let secretFiles: [OptionName: Found]
  private let file: [OptionName: Found]

  /// - Parameter file: a JSON object of option names (`{"store": "…", "allow-port": [8443]}`); nil for the one
  ///   that the environment names.
  /// - Throws: `OptionError` for a file that cannot be read, is not such an object, or names an unknown
  ///   option.
  init(environment: [String: String], file: String?) throws(OptionError) {
    self.environment = environment
    secretFiles = try Self.readSecrets(environment)
    let named = Self.variable("config")
    guard
      let found = file.map({ ("--config", $0) })
        ?? environment[named].flatMap({ $0.isEmpty ? nil : (named, $0) })
    else {
      self.file = [:]
      return
    }
    do throws(OptionError) {
      self.file = try Self.read(found.1)
    } catch {
      throw OptionError("\(found.0) \(found.1)\(error)")
    }
  }

  /// - Parameter commandLine: what the command line has; empty for nothing.
  /// - Returns: nil when no source has the option; an empty variable is none. Several values are one text in
  ///   the environment, separated by commas, which is the reader's to split.
  func find(_ name: OptionName, commandLine: [String]) -> Found? {
    if !commandLine.isEmpty { return ("--\(name.rawValue)", commandLine) }
    if let text = environment[name.variable], !text.isEmpty { return (name.variable, [text]) }
    return secretFiles[name] ?? file[name]
  }

  static func variable(_ name: String) -> String {
    "PUSH_ENRICHER_" + name.uppercased().map { $0 == "-" ? "_" : $0 }
  }

  /// Variables of `environment` that look as if they named an option, and name none, sorted.
  static func unknownVariables(_ environment: [String: String]) -> [String] {
    // Those of a build for tests, too.
    let others = ["config", "lease", "fault", "fault-skips"].map(variable)
    let known = Set(
      OptionName.allCases.map(\.variable) + OptionName.secrets.map(\.secretVariable) + others)
    return environment.filter { name, value in
      name.hasPrefix(variable("")) && !known.contains(name) && !isOfKubernetes(name, value)
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
  /// - Throws: `OptionError` for a file that cannot be read or is empty, and for a value that the environment
  ///   has too.
  private static func readSecrets(_ environment: [String: String]) throws(OptionError) -> [OptionName: Found]
  {
    var found: [OptionName: Found] = [:]
    for name in OptionName.secrets {
      let origin = name.secretVariable
      guard let path = environment[origin], !path.isEmpty else { continue }
      guard environment[name.variable, default: ""].isEmpty else {
        throw OptionError("\(origin): \(name.variable) is set as well: set one of the two")
      }
      do throws(OptionError) {
        let (bytes, exposure) = try contents(of: path)
        if let exposure { throw OptionError(": \(exposure.advice(on: path))") }
        found[name] = (origin, [try onlyLine(of: bytes)])
      } catch {
        throw OptionError("\(origin) \(path)\(error)")
      }
    }
    return found
  }

  private static func onlyLine(of bytes: [UInt8]) throws(OptionError) -> String {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard lines.count == 1, let line = lines.first else {
      throw OptionError(" has \(lines.count) lines: write the value into it, and nothing else")
    }
    return String(line)
  }

  /// - Returns: also why it is no place for a secret, if it is none.
  private static func contents(of path: String) throws(OptionError) -> ([UInt8], FileExposure?) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw OptionError(": \(String(errno: errno))") }
    defer { close(file) }
    let exposure = FileExposure(of: file)
    guard let bytes = FileBytes.read(file, maximum: 65_536) else {
      throw OptionError(": \(String(errno: errno))")
    }
    return (bytes, exposure)
  }

  private static func read(_ path: String) throws(OptionError) -> [OptionName: Found] {
    let (bytes, exposure) = try contents(of: path)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes)
    } catch {
      throw OptionError(" is not JSON: \(error)")
    }
    guard document.root.kind == .object else {
      throw OptionError(#": write a JSON object like {"store": "/srv/media"}"#)
    }
    var found: [OptionName: Found] = [:]
    for member in document.root.members {
      guard let name = OptionName(rawValue: member.name) else {
        let names = OptionName.allCases.map(\.rawValue).joined(separator: ", ")
        throw OptionError(": there is no option '\(member.name)'; there are \(names)")
      }
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      guard !values.contains(where: { [.object, .array, .null].contains($0.kind) }) else {
        throw OptionError(": '\(member.name)' is a text, a number, true or false, or a list of them")
      }
      found[name] = ("\(member.name) in \(path)", values.map { $0.string ?? $0.spelling })
    }
    // Without a password, it may be for all to read.
    let secrets = OptionName.secrets.flatMap { found[$0]?.values ?? [] }
    if let exposure, secrets.contains(where: { $0.withoutPassword != $0 }) {
      throw OptionError(" holds a password, and \(exposure.advice(on: path))")
    }
    return found
  }
}

extension OptionSources {
  /// Those of this process, or its end with what is wrong with them. Called once: a pipe can be read only
  /// once.
  /// - Parameter file: the value of `--config`.
  static func ofProcess(file: String? = nil) -> OptionSources {
    OptionError.orExit { () throws(OptionError) in
      try OptionSources(environment: ProcessEnvironment.variables, file: file)
    }
  }
}
