/// Those that lie, break or lead astray.
extension Attack {
  package static let deceiving = lies + failures + redirects

  private static let lies = [
    Attack(
      "negative-length", .http(.announcing(["-1"], photo)), "http-status", defence: "lengths are numbers"),
    Attack(
      "length-and-chunks", .http(.lengthAndChunked(photo)), "http-status", defence: "one end of the body"),
    Attack(
      "more-than-announced", .http(.announcing(["2"], photo)), "type-unsupported",
      defence: "what is beyond the length is no body"),
    Attack(
      "half-a-photo", .http(.serve(.partialContent(photoStart, as: "image/jpeg"))), "http-status",
      defence: "206 is not what was asked for"),
    Attack("html-page", .http(.serve(page)), "type-unsupported", defence: "the bytes decide; no Refresh"),
    Attack("http-0.9", .http(.http09), "http-status", defence: "HTTP has headers"),
    Attack("garbage", .http(.garbage), "http-status", defence: "HTTP has headers"),
  ]

  private static let failures = [
    Attack("reset", .http(.reset), "connect-failed", defence: "three tries at most"),
    Attack("reset-in-body", .http(.resetHalfway(photo)), "body-truncated", defence: "all that was announced"),
    Attack(
      "come-back-tomorrow", .http(.unavailable(503, retryAfter: "86400")), "http-status",
      defence: "no pause of more than two seconds"),
  ]

  private static let redirects = [
    Attack("redirect-loop", .http(.redirectLoop), "redirect-limit", defence: "three redirects at most"),
    Attack("redirect-forever", .http(.redirectForever), "redirect-limit", defence: "three redirects at most"),
    Attack(
      "redirect-nowhere", .http(.redirectNowhere(status: 302)), "http-status",
      defence: "no guess at a Location"),
    Attack(
      "redirect-to-file", .http(.redirect(to: "file:///etc/passwd")), "scheme-not-allowed",
      defence: "http and https only"),
    Attack(
      "redirect-to-metadata", .http(.redirect(to: "https://0xa9fea9fe/latest/meta-data/")), "address-blocked",
      defence: "169.254.169.254, however it is spelled"),
    Attack(
      "redirect-to-unassigned", .http(.redirect(to: "https://[4000::1]/photo.jpg")), "address-blocked",
      defence: "IPv6 of 2000::/3 only"),
    Attack(
      "redirect-to-http", .http(.redirect(to: "http://media.example/photo.jpg")), "scheme-not-allowed",
      defence: "no way from https to http"),
    Attack(
      "redirect-to-ssh", .http(.redirect(to: "https://127.0.0.1:22/")), "port-not-allowed",
      defence: "no port that is not allowed"),
    Attack(
      "redirect-with-password", .http(.redirect(to: "https://user:password@127.0.0.1/")), "url-invalid",
      defence: "no user names in URLs"),
  ]

  /// What some browsers would follow.
  private static let page = Response(
    .bytes(Array("<!DOCTYPE html><html><title>Sign in</title><h1>Sign in</h1></html>\n".utf8)),
    as: "image/jpeg",
    fields: [Response.Field("Refresh", "0; url=file:///etc/passwd")])
}
