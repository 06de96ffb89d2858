internal import Enriching
internal import Fetching
internal import Supporting

/// Shows the progress of downloads that take longer than a second, on a terminal but never in a pipe.
struct ProgressLine {
  private let task: Task<Void, Never>

  /// Nil if stderr is not a terminal.
  init?(following progress: EnrichmentProgress) {
    guard Console.errorIsTerminal else { return nil }
    task = Task {
      try? await Task.sleep(for: .seconds(1))
      while !Task.isCancelled {
        Console.text("\r\u{1b}[K" + progress.media.map(Self.text).joined(separator: "  ").printable)
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  func end() {
    task.cancel()
    Console.text("\r\u{1b}[K")
  }

  private static func text(_ medium: MediaReport) -> String {
    let received = "\(medium.identifier) \(medium.fetch.received.megabytes) MB"
    guard let announced = medium.fetch.announced, announced > 0 else { return received }
    return "\(received) of \(announced.megabytes) (\(medium.fetch.received * 100 / announced) %)"
  }
}
