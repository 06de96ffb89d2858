/// Attacks that end an answer too early, or go on behind its end.
extension Attack {
  static let ending =
    cuts + HTTP2Behaviour.cuts.map { Attack($0, "body-truncated", "END_STREAM, or the length") }
    + HTTP2Behaviour.malformed.map { Attack($0, "http-status", "no second try") } + [surplus]

  private static let cuts = [
    Attack("half-and-close", .plain(.truncated(endless)), "body-truncated", "the file has to show its end"),
    Attack(
      "half-and-close-without-notify", .http(.abruptly(.truncated(endless))), "body-truncated",
      "TLS says when it ends (close_notify)"),
    Attack(
      "half-of-the-chunks", .http(.truncated(Response(photo.body, framing: .chunked(1_000)))),
      "body-truncated", "the last chunk"),
  ]

  private static let surplus = Attack(
    "answer-before-the-request", .http(.failing(first: 1, by: poisoning, then: .serve(.notFoundPage))),
    "http-status", "what nobody asked for is no answer")

  /// A redirect that ends at the end of a read of 16 KB, and behind it a photo for whoever asks next.
  private static let poisoning: Behaviour = {
    var redirect = Response(status: 302, fields: [Response.Field("Location", "?2"), Response.Field("X", "")])
    let size = redirect.head(framing: [Response.Field("Content-Length", "0")]).utf8.count
    redirect.fields[1].value = String(repeating: "x", count: 16_384 - size)
    let photo = Array("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\n\r\n".utf8)
    return .followed(redirect, by: photo + photoStart)
  }()

  private static let endless = Response(photo.body, as: "image/jpeg", framing: .untilClose)
}
