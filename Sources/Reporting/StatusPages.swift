internal import Enriching
internal import Measuring
package import Serving
internal import Working

/// The pages on which a worker reports its status over HTTP.
package enum StatusPages {
  package static let health = "/healthz"
  /// A process that answers at all is healthy.
  package static let healthy = "ok"

  package static func routes(of board: StatusBoard) -> [Route] {
    [
      Route(health) { _ in .page("\(healthy)\n") },
      Route("/readyz") { _ in
        let readiness = board.status.readiness()
        return .page("\(readiness.words.text)\n", status: readiness == .ready ? 200 : 503)
      },
      Route("/metrics") { _ in
        .page(PrometheusText(await board.metrics()).text, as: "text/plain; version=0.0.4; charset=utf-8")
      },
      Route("/status.json") { _ in .page(await board.json(), as: "application/json") },
      Route("/") { _ in page() },
    ]
  }

  /// The page for people: one document, `page.html`, which loads only `/status.json`.
  static func page() -> Response {
    // Only a style or script with the nonce is used, whatever the name of a host contains.
    let nonce = String(UInt128.random(in: 0...UInt128.max), radix: 36)
    let bytes = PackageResources.page_html.replacing(Array("NONCE".utf8), with: Array(nonce.utf8))
    return .page(bytes, as: "text/html; charset=utf-8", nonce: nonce)
  }
}

extension WorkStatus.Readiness {
  /// One word, and a line that says what is going on and what to do about it.
  var words: (name: String, text: String) {
    switch self {
    case .ready: ("ready", "ready")
    case .starting: ("starting", "starting: the queue has not answered yet")
    case .stopping: ("stopping", "stopping: what is in flight is being finished")
    case .stuck(.receiving, let time):
      ("stuck", "nothing could be taken from the queue for \(time.components.seconds) s: see the log")
    case .stuck(.publishing, let time):
      ("stuck", "nothing could be published for \(time.components.seconds) s: see the log")
    case .refused(let detail): ("stuck", "nothing is taken: \(detail)")
    case .waitingForStore(let failure, let time):
      (
        "stuck",
        "nothing has been taken for \(time.components.seconds) s, because the store fails (\(failure.detail)): \(failure.advice)"
      )
    }
  }
}
