internal import Enriching
internal import Serving
internal import Working

/// What a worker tells about itself over HTTP.
enum StatusPages {
  /// Where whoever asks for the process's health finds it.
  static let health = "/healthz"

  static func all(of status: WorkStatus) -> [String: Page.Maker] {
    [
      // That somebody answers is the answer.
      health: { Page("ok\n") },
      "/readyz": { readiness(status.readiness()) },
    ]
  }

  private static func readiness(_ readiness: WorkStatus.Readiness) -> Page {
    switch readiness {
    case .ready: Page("ready\n")
    case .starting: Page(status: 503, "starting: the queue has not answered yet\n")
    case .stopping: Page(status: 503, "stopping: what is in flight is being finished\n")
    case .stuck(.receiving, let time):
      Page(status: 503, "nothing could be taken from the queue for \(time.wholeSeconds) s: see the log\n")
    case .stuck(.publishing, let time):
      Page(status: 503, "nothing could be published for \(time.wholeSeconds) s: see the log\n")
    }
  }
}

extension Duration {
  fileprivate var wholeSeconds: Int64 { components.seconds }
}
