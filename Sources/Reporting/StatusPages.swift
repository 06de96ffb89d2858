internal import Enriching
internal import Measuring
package import Serving
internal import Working

/// What a worker tells about itself over HTTP.
package enum StatusPages {
  /// The path of the health check.
  package static let health = "/healthz"
  /// What it answers. A process that answers at all is healthy.
  package static let healthy = "ok"

  package static func all(of board: StatusBoard) -> [String: Page.Maker] {
    [
      health: { Page("\(healthy)\n") },
      "/readyz": {
        let readiness = board.status.readiness()
        return Page(status: readiness == .ready ? 200 : 503, "\(readiness.text)\n")
      },
      "/metrics": { Page(PrometheusText(await board.metrics()).text, as: .metrics) },
      "/status.json": { Page(await board.json(), as: .json) },
      "/": { StatusPage.page() },
    ]
  }
}

extension WorkStatus.Readiness {
  /// One word.
  var name: String {
    switch self {
    case .ready: "ready"
    case .starting: "starting"
    case .stopping: "stopping"
    case .stuck, .waitingForStore: "stuck"
    }
  }

  /// What is going on, and what to do about it.
  var text: String {
    switch self {
    case .ready: "ready"
    case .starting: "starting: the queue has not answered yet"
    case .stopping: "stopping: what is in flight is being finished"
    case .stuck(.receiving, let time):
      "nothing could be taken from the queue for \(time.components.seconds) s: see the log"
    case .stuck(.publishing, let time):
      "nothing could be published for \(time.components.seconds) s: see the log"
    case .waitingForStore(let failure, let time):
      "nothing has been taken for \(time.components.seconds) s, because the store fails (\(failure.detail)): \(failure.advice)"
    }
  }
}
