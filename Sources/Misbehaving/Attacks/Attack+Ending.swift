/// Those that end an answer before its end, or go on behind it.
extension Attack {
  static let ending = cuts + http2Cuts + http2Violations + surpluses

  private static let cuts = [
    Attack(
      "half-and-close", .plain(.truncated(endless)), "body-truncated",
      defence: "the file has to show its end"),
    Attack(
      "half-and-close-without-notify", .http(.abruptly(.truncated(endless))), "body-truncated",
      defence: "TLS says when it ends (close_notify)"),
    Attack(
      "half-of-the-chunks", .http(.truncated(Response(photo.body, framing: .chunked(1_000)))),
      "body-truncated", defence: "the last chunk"),
  ]

  private static let http2Cuts = HTTP2Script.cuts.filter { shownCuts.contains($0.name) }.map {
    Attack("http2-\($0.name)", .http2(.script($0)), "body-truncated", defence: "END_STREAM, or the length")
  }

  private static let http2Violations = HTTP2Script.malformed.filter { shownViolations.contains($0.name) }.map
  {
    Attack("http2-\($0.name)", .http2(.script($0)), "http-status", defence: "no second try")
  }

  /// Some of many ways.
  private static let shownCuts: Set = [
    "half-and-reset-0", "half-and-reset-2", "half-and-close", "half-and-short-ping",
    "half-and-data-on-stream-0", "half-and-push-promise", "half-and-oversized-frame",
    "half-and-overflowing-window",
  ]
  private static let shownViolations: Set = [
    "upper-case", "crlf-in-value", "two-statuses", "no-status", "longer-than-announced",
    "shorter-than-announced", "short-ping-before-head",
  ]

  private static let surpluses = [
    Attack(
      "answer-before-the-request", .http(.failing(first: 1, by: poisoning, then: .serve(.notFoundPage))),
      "http-status", defence: "what nobody asked for is no answer")
  ]

  /// A redirect that ends where a read of 16 KB does, and behind it a photo for whoever asks next.
  private static let poisoning: Behaviour = {
    var redirect = Response(status: 302, fields: [Response.Field("Location", "?2"), Response.Field("X", "")])
    let size = redirect.head(framing: [Response.Field("Content-Length", "0")]).utf8.count
    redirect.fields[1].value = String(repeating: "x", count: 16_384 - size)
    let photo = Array("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\n\r\n".utf8)
    return .followed(redirect, by: photo + photoStart)
  }()

  private static let endless = Response(photo.body, as: "image/jpeg", framing: .untilClose)
}
