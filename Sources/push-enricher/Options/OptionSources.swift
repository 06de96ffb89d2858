internal import Glibc
internal import Notifications

/// Where the value of an option may stand: the command line wins, then the environment (`PUSH_ENRICHER_…`), then the file.
struct OptionSources {
  /// Values, and how to name their place in a message.
  typealias Found = (origin: String, values: [String])

  private let environment: [String: String]
  private let file: [String: Found]

  /// - Parameters:
  ///   - file: a JSON object of option names (`{"store": "…", "allow-port": [8443]}`); nil for the one that the environment names.
  ///   - names: the options that there are.
  /// - Throws: `OptionError` for a file that cannot be read, is no such object, or names an option that there is not.
  init(environment: [String: String], file: String?, names: [String]) throws(OptionError) {
    self.environment = environment
    guard
      let found = file.map({ ("--config", $0) })
        ?? environment["PUSH_ENRICHER_CONFIG"].map({ ("PUSH_ENRICHER_CONFIG", $0) })
    else {
      self.file = [:]
      return
    }
    do throws(OptionError) {
      self.file = try Self.read(found.1, names)
    } catch {
      throw OptionError("\(found.0) \(found.1)\(error)")
    }
  }

  /// - Parameter commandLine: what the command line has; empty for nothing.
  /// - Returns: nil when no source has the option. The environment separates several values by commas.
  func find(_ name: String, commandLine: [String]) -> Found? {
    if !commandLine.isEmpty { return ("--\(name)", commandLine) }
    let variable = Self.variable(name)
    if let text = environment[variable] {
      return (variable, text.split(separator: ",").map { String($0) })
    }
    return file[name]
  }

  static func variable(_ name: String) -> String {
    "PUSH_ENRICHER_" + name.uppercased().map { $0 == "-" ? "_" : $0 }
  }

  private static func read(_ path: String, _ names: [String]) throws(OptionError) -> [String: Found] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let bytes = Console.read(descriptor, maximum: 65_536) else {
      throw OptionError(": \(unsafe String(cString: strerror(errno)))")
    }
    close(descriptor)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes)
    } catch {
      throw OptionError(" is not JSON: \(error)")
    }
    guard document.root.kind == .object else {
      throw OptionError(#": write a JSON object like {"store": "/srv/media"}"#)
    }
    var found: [String: Found] = [:]
    for member in document.root.members {
      guard names.contains(member.name) else {
        throw OptionError(
          ": there is no option '\(member.name)'; there are \(names.joined(separator: ", "))")
      }
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      found[member.name] = ("\(member.name) in \(path)", values.map { $0.string ?? $0.spelling })
    }
    return found
  }
}
