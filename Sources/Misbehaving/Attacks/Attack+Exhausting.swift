/// Attacks on a worker's memory, time and connections.
extension Attack {
  package static let exhausting = floods + silences + burdens + http2

  private static let floods = [
    Attack("endless-headers", .http(.endlessHeaders), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-header-line", .http(.endlessHeaderLine), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-103s", .http(.endlessInterimResponses), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-trailers", .http(.endlessTrailers), "headers-too-large", "64 KB of headers at most"),
    Attack(
      "endless-chunks", .http(.endlessChunks(first: photoStart)), "body-too-large", "no more than iOS takes"),
    Attack(
      "endless-body", .http(.endlessBody(first: photoStart)), "body-too-large", "no more than iOS takes"),
    Attack(
      "redirect-with-300-mb", .http(.redirectWithBody(to: "/nowhere", bytes: 300_000_000)), "http-status",
      "bodies of redirects are not read"),
    Attack("gzip-bomb", .http(.gzipBomb()), "encoding-not-allowed", "nothing is unpacked"),
    Attack("huge-length", .http(.hugeLength()), "body-too-large", "the announced length is too large"),
    Attack("two-lengths", .http(.twoLengths(photo, other: 3)), "http-status", "one length, or none"),
    Attack("early-end", .http(.truncated(photo)), "body-truncated", "needs its full length"),
  ]

  private static let silences = [
    Attack("silent-name-server", .silentNameServer, late, "lookups end with the deadline"),
    Attack("silent-handshake", .stalledHandshake),
    Attack("silent-server", .http(.silent)),
    Attack("silent-in-header-line", .http(.stallingHeaderLine(bytes: 60_000))),
    Attack(
      "silent-in-header-line-without-tls", .plain(.stallingHeaderLine(bytes: 98_000)), "headers-too-large",
      "64 KB of headers at most"),
    Attack("silent-in-body", .http(stalling)),
    Attack("slow-headers", .http(.drippingHeaders)),
    Attack("slow-body", .http(.drippingBody(photo))),
    // Sends 18 KB a second. At that rate, 9 MB never arrive in time.
    Attack(
      "just-fast-enough", .http(.drippingBody(long, bytes: 3_600, every: .milliseconds(200))), late,
      "the deadline; others get its place if they wait"),
  ]

  /// Each sends as much as the client accepts. An endless body keeps all its connections open.
  private static let burdens = [
    Attack(
      "long-certificates", .http(.serve(photo), sending: .certificate(units: 5_000)), "tls-failed",
      "32 KB of certificates at most"),
    Attack("certificates-for-nothing", .http(stalling, sending: .certificate(units: 2_500))),
    Attack(
      "new-keys-for-nothing", .http(stalling, sending: .newKeys(1_000)), "body-truncated",
      "64 messages of a handshake at most"),
    Attack(
      "tickets-for-nothing", .http(stalling, sending: .ticket(bytes: 60_000)), "body-truncated",
      "16 KB of messages after a handshake at most"),
    Attack(
      "keys-of-a-finite-field", .http(.serve(photo), sending: .finiteField), "tls-failed",
      "elliptic curves only"),
    Attack("authorities-for-nothing", .http(stalling, sending: .authorities(8_000))),
  ]

  private static let http2 = [
    Attack(.settings, "http-status", "a server that floods is cut off"),
    Attack(.pings, "http-status", "a server that floods is cut off"),
    Attack(.unreadPings, "http-status", "a server that floods is cut off"),
    Attack(.resets, "http-status", or: "body-truncated", "a server that floods is cut off"),
    Attack(.refusals, "connect-failed", "three tries at most"),
    Attack(.emptyData, "http-status", "a server that sends mostly overhead is cut off"),
    Attack(.unknownFrames, "http-status", "a server that sends mostly overhead is cut off"),
    Attack(.continuation, "headers-too-large", "128 KB of packed headers at most"),
    Attack(.packedHeaders, "headers-too-large", "128 KB of unpacked headers at most"),
    Attack(.interimResponses, "headers-too-large", "64 KB of headers at most"),
    // libcurl delivers one buffer of headers, and waits for the server before it delivers the next.
    Attack(.longHeaders, "headers-too-large", or: late, "64 KB of headers at most"),
    Attack(.silentInHeaders),
    Attack(.silentInPackedHeaders),
    Attack(.silentInBody),
  ]

  private static let stalling = Behaviour.stalling(photo, after: 5_000)
  private static let long = Response(.padded(first: photoStart, length: 9_000_000), as: "image/jpeg")
}
