/// Attacks that end an answer too early, or send more after its end.
extension Attack {
  static let ending =
    cuts + HTTP2Behaviour.cuts.map { Attack($0, "body-truncated", "needs END_STREAM or its full length") }
    + HTTP2Behaviour.malformed.map { Attack($0, "http-status", "no second try") } + [surplus]

  private static let cuts = [
    Attack("half-and-close", .plain(.truncated(endless)), "body-truncated", "the file must show its end"),
    Attack(
      "half-and-close-without-notify", .http(.abruptly(.truncated(endless))), "body-truncated",
      "TLS says when it ends (close_notify)"),
    Attack(
      "half-of-the-chunks", .http(.truncated(Response(photo.body, framing: .chunked(1_000)))),
      "body-truncated", "needs the last chunk"),
  ]

  private static let surplus = Attack(
    "answer-before-the-request", .http(.failing(first: 1, by: poisoning, then: .serve(.notFoundPage))),
    "http-status", "an unrequested answer is dropped")

  /// A redirect that fills a read of 16 KB, and after it a photo that the next request might get.
  private static let poisoning: Behaviour = {
    var redirect = Response(status: 302, fields: [Response.Field("Location", "?2"), Response.Field("X", "")])
    let size = redirect.head(framing: [Response.Field("Content-Length", "0")]).utf8.count
    redirect.fields[1].value = String(repeating: "x", count: 16_384 - size)
    let photo = Array(
      "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(photoStart.count)\r\n\r\n".utf8)
    return .followed(redirect, by: photo + photoStart)
  }()

  private static let endless = Response(photo.body, as: "image/jpeg", framing: .untilClose)
}
