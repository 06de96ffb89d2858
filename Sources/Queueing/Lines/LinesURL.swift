internal import Glibc

extension QueueKind {
  package static let lines = QueueKind(["-"], example: { _ in "- for lines" }) { (_, _) in
    LinesURL(format: .payloads)
  }

  package static let records = QueueKind(["records:"], example: { _ in "records:-" }) {
    (text, _) throws(QueueError) in
    guard text.utf8.count == "records:-".utf8.count, text.utf8.last == UInt8(ascii: "-") else {
      let fault = URLFault(
        "only - may follow records:, for stdin or stdout; a file comes from the shell, with < or >")
      throw .urlInvalid(text.withoutPassword, fault, right: "records:-")
    }
    return LinesURL(format: .records)
  }
}

/// `-`: a payload per line on stdin or stdout. `records:-`: a record per line.
struct LinesURL: QueueURL {
  let format: LineFormat
  let needs = QueueNeeds()

  private var text: String { format == .records ? "records:-" : "-" }
  var label: QueueLabel { QueueLabel(system: "lines", name: text) }

  func isSameQueue(as other: any QueueURL) -> Bool { false }
  func sibling(_ name: String, of text: String) -> String? { nil }
  func example(_ name: String) -> String { text }
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) -> any Queue {
    LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO, format: format)
  }
}
