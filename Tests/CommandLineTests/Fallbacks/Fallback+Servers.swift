import Enriching
import Misbehaving
import TestSupport

/// Servers that cannot be reached, or that answer with something other than media.
extension Fallback {
  static let ofConnections: [Fallback] = [
    Fallback(.connectFailed, "nobody listens") {
      let port = freePort()
      return try await enrich(Push.naming("http://127.0.0.1:\(port)/photo.jpg"), reaching(port))
    },
    .server(.connectFailed, "it resets the connection", .reset),
    Fallback(.tlsFailed, "a certificate signed by itself") {
      try await withNginx(serving: Fixtures.media) { nginx in
        let options = reaching(nginx.selfSignedPort) + ["--ca-file", nginx.caFile]
        return try await enrich(Push.naming("\(nginx.selfSignedOrigin)/photo.jpg"), options)
      }
    },
    Fallback(.tlsFailed, "a certificate for another host") {
      try await withNginx(serving: Fixtures.media) { nginx in
        let options = reaching(nginx.wrongHostPort) + ["--ca-file", nginx.caFile]
        return try await enrich(Push.naming("\(nginx.wrongHostOrigin)/photo.jpg"), options)
      }
    },
    Fallback(.tlsFailed, "an authority that is not trusted") {
      try await withNginx(serving: Fixtures.media) { nginx in
        try await enrich(Push.naming("\(nginx.httpsOrigin)/photo.jpg"), reaching(nginx.httpsPort))
      }
    },
  ]

  static let ofAnswers: [Fallback] = [
    .server(.httpStatus, "404", saying: "answered 404", .serve(.notFoundPage)),
    .server(.httpStatus, "500", saying: "answered 500", .serve(.serverError)),
    .server(.httpStatus, "503 three times", saying: "answered 503", .unavailable()),
    .server(
      .httpStatus, "come back in a century", saying: "answered 503 and asks to come back in 3155760000 s",
      .unavailable(retryAfter: "3155760000")),
    .server(.httpStatus, "come back at the end of time", .unavailable(retryAfter: "9223372036854775807")),
    .server(
      .httpStatus, "a part of it", saying: "answered 206",
      .serve(.partialContent([1, 2, 3, 4], as: "image/jpeg"))),
    .server(.httpStatus, "not modified", saying: "answered 304", .redirectNowhere(status: 304)),
    .server(
      .httpStatus, "a redirect without an address", saying: "answered 302", .redirectNowhere(status: 302)),
    .server(.httpStatus, "no HTTP at all", .garbage),
    .server(.httpStatus, "HTTP/0.9", .http09),
    .server(.httpStatus, "two lengths", saying: "not valid HTTP", .twoLengths(.photo, other: 17)),
    .server(.httpStatus, "a length and chunks", saying: "not valid HTTP", .lengthAndChunked(.photo)),
    .server(.redirectLimit, "a redirect to itself", saying: "more than 10", .redirectLoop),
    .server(
      .redirectLimit, "eleven redirects", saying: "more than 10",
      .redirectChain(hops: 11, then: .serve(.photo))),
    .server(.headersTooLarge, "headers without end", saying: "64 KiB of headers", .endlessHeaders),
    .server(.headersTooLarge, "a header without end", .endlessHeaderLine),
    .server(.headersTooLarge, "early hints without end", .endlessInterimResponses),
    .server(.headersTooLarge, "trailers without end", .endlessTrailers),
  ]
}
