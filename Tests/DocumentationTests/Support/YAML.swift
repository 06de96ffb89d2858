import Notifications
import TestSupport

/// A YAML text, as PyYAML parses it.
enum YAML {
  static func read(_ text: String) async throws -> JSONDocument {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    let run = try await Command("/usr/bin/python3").runSuccessfully(["-c", script], input: Array(text.utf8))
    return try JSONDocument(run.standardOutput)
  }
}
