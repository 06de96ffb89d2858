internal import Glibc

extension QueueKind {
  package static let lines = QueueKind(["-"], example: { _ in "- for lines" }) { (_, _) in LinesURL() }
}

/// `-`: a payload per line on stdin or stdout.
struct LinesURL: QueueURL {
  let label = QueueLabel(system: "lines", name: "-")
  let needs = QueueNeeds()

  func isSameQueue(as other: any QueueURL) -> Bool { false }
  func sibling(_ name: String, of text: String) -> String? { nil }
  func example(_ name: String) -> String { "-" }
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) -> any Queue {
    LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO)
  }
}
