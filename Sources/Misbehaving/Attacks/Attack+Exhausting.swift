/// Those that mean the worker's memory, time and connections.
extension Attack {
  package static let exhausting = floods + silences + burdens + http2Floods + http2Silences

  private static let floods = [
    Attack("endless-headers", .http(.endlessHeaders), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-header-line", .http(.endlessHeaderLine), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-103s", .http(.endlessInterimResponses), "headers-too-large", "64 KB of headers at most"),
    Attack("endless-trailers", .http(.endlessTrailers), "headers-too-large", "64 KB of headers at most"),
    Attack(
      "endless-chunks", .http(.endlessChunks(first: photoStart)), "body-too-large",
      "no more than iOS takes"),
    Attack(
      "endless-body", .http(.endlessBody(first: photoStart)), "body-too-large",
      "no more than iOS takes"),
    Attack(
      "redirect-with-300-mb", .http(.redirectWithBody(to: "/nowhere", bytes: 300_000_000)), "http-status",
      "bodies of redirects are not read"),
    Attack("gzip-bomb", .http(.gzipBomb()), "encoding-not-allowed", "nothing is unpacked"),
    Attack("huge-length", .http(.hugeLength()), "body-too-large", "the length is enough"),
    Attack("two-lengths", .http(.twoLengths(photo, other: 3)), "http-status", "one length, or none"),
    Attack("early-end", .http(.truncated(photo)), "body-truncated", "all that was announced"),
  ]

  private static let silences = [
    Attack(endless: "silent-name-server", .silentNameServer, "lookups end with the deadline"),
    Attack(endless: "silent-handshake", .stalledHandshake),
    Attack(endless: "silent-server", .http(.silent)),
    Attack(endless: "silent-in-header-line", .http(.stallingHeaderLine(bytes: 60_000))),
    Attack(
      "silent-in-header-line-without-tls", .plain(.stallingHeaderLine(bytes: 98_000)), "headers-too-large",
      "64 KB of headers at most"),
    Attack(endless: "silent-in-body", .http(.stalling(photo, after: 5_000))),
    Attack(endless: "slow-headers", .http(.drippingHeaders)),
    Attack(endless: "slow-body", .http(.drippingBody(photo))),
    // 18 KB a second, of which 9 MB will never come in time.
    Attack(
      endless: "just-fast-enough",
      .http(
        .drippingBody(
          Response(.padded(first: photoStart, length: 9_000_000), as: "image/jpeg"), bytes: 3_600,
          every: .milliseconds(200))),
      "the deadline; room for others, if they wait"),
  ]

  /// Each as much as is taken, with a body that does not end: the connections are all held at once.
  private static let burdens = [
    Attack(
      "long-certificates", .http(.serve(photo), sending: .certificate(units: 5_000)), "tls-failed",
      "32 KB of certificates at most"),
    Attack(
      endless: "certificates-for-nothing",
      .http(.stalling(photo, after: 5_000), sending: .certificate(units: 2_500))),
    Attack(
      "new-keys-for-nothing", .http(.stalling(photo, after: 5_000), sending: .newKeys(1_000)),
      "body-truncated",
      "64 messages of a handshake at most"),
    Attack(
      "tickets-for-nothing", .http(.stalling(photo, after: 5_000), sending: .ticket(bytes: 60_000)),
      "body-truncated",
      "16 KB of messages behind a handshake at most"),
    Attack(
      "keys-of-a-finite-field", .http(.serve(photo), sending: .finiteField), "tls-failed",
      "elliptic curves only"),
    Attack(
      endless: "authorities-for-nothing", .http(.stalling(photo, after: 5_000), sending: .authorities(8_000))),
  ]

  private static let http2Floods = [
    Attack("http2-settings", .http2(.settings), "http-status", "who floods is cut off"),
    Attack("http2-pings", .http2(.pings), "http-status", "who floods is cut off"),
    Attack("http2-unread-pings", .http2(.unreadPings), "http-status", "who floods is cut off"),
    Attack("http2-resets", .http2(.resets), "http-status", or: "body-truncated", "who floods is cut off"),
    Attack("http2-refusals", .http2(.refusals), "connect-failed", "three tries at most"),
    Attack("http2-empty-data", .http2(.emptyData), "http-status", "who wraps little into much is cut off"),
    Attack(
      "http2-unknown-frames", .http2(.unknownFrames), "http-status",
      "who wraps little into much is cut off"),
    Attack(
      "http2-continuation", .http2(.continuation), "headers-too-large",
      "128 KB of packed headers at most"),
    Attack(
      "http2-packed-headers", .http2(.packedHeaders), "headers-too-large",
      "128 KB of unpacked headers at most"),
    Attack("http2-103s", .http2(.interimResponses), "headers-too-large", "64 KB of headers at most"),
    // libcurl hands out a buffer of them, and waits for the server before it goes on.
    Attack(
      "http2-long-headers", .http2(.longHeaders), "headers-too-large", or: "deadline-exceeded",
      "64 KB of headers at most"),
  ]

  private static let http2Silences = [
    Attack(endless: "http2-silent-in-headers", .http2(.silentInHeaders)),
    Attack(endless: "http2-silent-in-packed-headers", .http2(.silentInPackedHeaders)),
    Attack(endless: "http2-silent-in-body", .http2(.silentInBody)),
  ]
}
