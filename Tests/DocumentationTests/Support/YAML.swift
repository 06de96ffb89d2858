import Notifications
import TestSupport

/// A text in YAML, as the language's usual reader (PyYAML) understands it.
enum YAML {
  static func read(_ text: String) async throws -> JSONDocument {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    let run = try await Command("/usr/bin/python3").runSuccessfully(["-c", script], input: Array(text.utf8))
    return try JSONDocument(run.standardOutput)
  }
}

extension JSONValue {
  /// The value at a path of names, and of numbers in arrays: `spec.containers.0.image`.
  func at(_ path: String) -> JSONValue? {
    path.split(separator: ".").reduce(Optional(self)) { value, name in
      Int(name).map { index in (value?.elements).flatMap { $0.dropFirst(index).first { _ in true } } }
        ?? value?[String(name)]
    }
  }

  /// A text or a list of texts, as it stands.
  func text(at path: String) -> String? { at(path)?.string }
  func list(at path: String) -> [String] { at(path)?.elements.compactMap { $0.string } ?? [] }
}
