import Notifications
import TestSupport

extension Run {
  /// The lines of standard error as people see them. If a line is a JSON log line, it stands for its message,
  /// after the program's name.
  var told: [String] {
    standardError.split(separator: "\n").map { line in
      let message = (try? JSONDocument(Array(line.utf8)))?.root["message"]?.string
      return message.map { "push-enricher: \($0)" } ?? String(line)
    }
  }
}
