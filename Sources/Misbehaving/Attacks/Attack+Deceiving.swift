/// Those that lie, break or lead astray.
extension Attack {
  package static let deceiving = lies + failures + redirects

  private static let lies = [
    Attack("negative-length", .http(.announcing(["-1"], photo)), "http-status", "lengths are numbers"),
    Attack("length-and-chunks", .http(.lengthAndChunked(photo)), "http-status", "one end of the body"),
    Attack(
      "more-than-announced", .http(.announcing(["2"], photo)), "type-unsupported",
      "what is beyond the length is no body"),
    Attack(
      "half-a-photo", .http(.serve(.partialContent(photoStart, as: "image/jpeg"))), "http-status",
      "206 is not what was asked for"),
    Attack("html-page", .http(.serve(page)), "type-unsupported", "the bytes decide; no Refresh"),
    Attack("http-0.9", .http(.http09), "http-status", "HTTP has headers"),
    Attack("garbage", .http(.garbage), "http-status", "HTTP has headers"),
  ]

  private static let failures = [
    Attack("reset", .http(.reset), "connect-failed", "three tries at most"),
    Attack("reset-in-body", .http(.resetHalfway(photo)), "body-truncated", "all that was announced"),
    Attack(
      "come-back-tomorrow", .http(.unavailable(503, retryAfter: "86400")), "http-status",
      "no pause of more than two seconds"),
  ]

  private static let redirects = [
    Attack("redirect-loop", .http(.redirectLoop), "redirect-limit", "three redirects at most"),
    Attack("redirect-forever", .http(.redirectForever), "redirect-limit", "three redirects at most"),
    Attack(
      "redirect-nowhere", .http(.redirectNowhere(status: 302)), "http-status",
      "no guess at a Location"),
    Attack(
      "redirect-to-file", .http(.redirect(to: "file:///etc/passwd")), "scheme-not-allowed",
      "http and https only"),
    Attack(
      "redirect-to-metadata", .http(.redirect(to: "https://0xa9fea9fe/latest/meta-data/")), "address-blocked",
      "169.254.169.254, however it is spelled"),
    Attack(
      "redirect-to-unassigned", .http(.redirect(to: "https://[4000::1]/photo.jpg")), "address-blocked",
      "IPv6 of 2000::/3 only"),
    Attack(
      "redirect-to-http", .http(.redirect(to: "http://media.example/photo.jpg")), "scheme-not-allowed",
      "no way from https to http"),
    Attack(
      "redirect-to-ssh", .http(.redirect(to: "https://127.0.0.1:22/")), "port-not-allowed",
      "no port that is not allowed"),
    Attack(
      "redirect-with-password", .http(.redirect(to: "https://user:password@127.0.0.1/")), "url-invalid",
      "no user names in URLs"),
  ]

  /// What some browsers would follow.
  private static let page = Response(
    .bytes(Array("<!DOCTYPE html><html><title>Sign in</title><h1>Sign in</h1></html>\n".utf8)),
    as: "image/jpeg",
    fields: [Response.Field("Refresh", "0; url=file:///etc/passwd")])
}
