/// Attacks that lie, break off or mislead.
extension Attack {
  package static let deceiving = lies + failures + redirects

  private static let lies = [
    Attack("negative-length", .http(.announcing(["-1"], photo)), "http-status", "lengths are numbers"),
    Attack("length-and-chunks", .http(.lengthAndChunked(photo)), "http-status", "a length or chunks"),
    Attack(
      "more-than-announced", .http(.announcing(["2"], photo)), "type-unsupported",
      "bytes beyond the length are dropped"),
    Attack(
      "half-a-photo", .http(.serve(.partialContent(photoStart, as: "image/jpeg"))), "http-status",
      "206 is not what was asked for"),
    Attack("html-page", .http(.serve(page)), "type-unsupported", "the bytes decide; no Refresh"),
    Attack("http-0.9", .http(.http09), "http-status", "HTTP has headers"),
    Attack("garbage", .http(.garbage), "http-status", "HTTP has headers"),
  ]

  private static let failures = [
    Attack("reset", .http(.reset), "connect-failed", "three tries at most"),
    Attack("reset-in-body", .http(.resetHalfway(photo)), "body-truncated", "needs its full length"),
    Attack(
      "come-back-tomorrow", .http(.unavailable(503, retryAfter: "86400")), "http-status",
      "no pause of more than two seconds"),
  ]

  private static let redirects = [
    Attack("redirect-loop", .http(.redirectLoop), "redirect-limit", "ten redirects at most"),
    Attack("redirect-forever", .http(.redirectForever), "redirect-limit", "ten redirects at most"),
    Attack("redirect-nowhere", .http(.redirectNowhere(status: 302)), "http-status", "no guess at a Location"),
    to("redirect-to-file", "file:///etc/passwd", "scheme-not-allowed", "http and https only"),
    to(
      "redirect-to-metadata", "https://0xa9fea9fe/latest/meta-data/", "address-blocked",
      "169.254.169.254, however it is spelled"),
    to("redirect-to-unassigned", "https://[4000::1]/photo.jpg", "address-blocked", "IPv6 of 2000::/3 only"),
    to(
      "redirect-to-http", "http://media.example/photo.jpg", "scheme-not-allowed", "never from https to http"),
    to("redirect-to-ssh", "https://127.0.0.1:22/", "port-not-allowed", "no port that is not allowed"),
    to("redirect-with-password", "https://user:password@127.0.0.1/", "url-invalid", "no user names in URLs"),
  ]

  private static func to(_ name: String, _ location: String, _ reason: String, _ defence: String) -> Attack {
    Attack(name, .http(.redirect(to: location)), reason, defence)
  }

  /// Some browsers would follow its `Refresh` field.
  private static let page = Response(
    .bytes(Array("<!DOCTYPE html><html><title>Sign in</title><h1>Sign in</h1></html>\n".utf8)),
    as: "image/jpeg", fields: [Response.Field("Refresh", "0; url=file:///etc/passwd")])
}
