import Enriching
import Misbehaving
import TestSupport

/// A disk, a deadline or a memory that is too small.
extension Fallback {
  static let ofStores: [Fallback] = [
    .server(
      .storeFailed, "no such directory", saying: "/nonexistent does not exist; create it", .serve(.photo),
      ["--store", "/nonexistent"]),
    .server(
      .storeFailed, "a file in its place", saying: "is not a directory", .serve(.photo),
      ["--store", "\(Fixtures.media)/photo.jpg"]),
    .server(
      .storeFailed, "a file system that keeps nothing", saying: "/proc", .serve(.photo), ["--store", "/proc"]),
    Fallback(.storeFailed, "the disk is full after 8 KB", saying: "is full") {
      try await withHostileServer { server in
        try await enrich(
          Push.naming(server.url(.serve(.clip))), reaching(server.port),
          through: ["bash", "-c", #"ulimit -f 8; exec "$@""#, "bash"])
      }
    },
  ]

  /// Each of these takes until its deadline.
  static let ofTime: [Fallback] = [
    .name(
      .deadlineExceeded, "the name server says nothing", saying: "the medium was waiting for the name server",
      .silence, ["--deadline", "2s"]),
    .server(
      .deadlineExceeded, "a server that says nothing",
      saying: "the medium was waiting for the server's answer",
      .silent, ["--deadline", "4s"]),
    .server(
      .deadlineExceeded, "a byte of the header a second",
      saying: "the medium was waiting for the server's answer",
      .drippingHeaders, ["--deadline", "4s"]),
    .server(
      .deadlineExceeded, "a byte of the body a second",
      saying: "the medium was waiting for the rest of the body",
      .drippingBody(.photo), ["--deadline", "5s"]),
    .server(
      .deadlineExceeded, "a body that stops", saying: "the medium was waiting for the rest of the body",
      .stalling(.clip, after: 5_000), ["--deadline", "5s"]),
    Fallback(.deadlineExceeded, "no answer to TLS", saying: "the medium was waiting for the connection") {
      try await withHostileServer { server in
        try await enrich(Push.naming(server.stallingTLSURL()), reaching(server.port) + ["--deadline", "2s"])
      }
    },
    Fallback(
      .deadlineExceeded, "one medium is there, another is not", saying: "medium 2 of 2 was waiting for",
      stored: 1
    ) {
      try await withHostileServer { server in
        let payload = Push.naming(server.url(.serve(.clip)), server.url(.silent))
        return try await enrich(payload, reaching(server.port) + ["--deadline", "5s"])
      }
    },
  ]

  static let ofMemory: [Fallback] = [
    .server(
      .memoryExceeded, "none for a single transfer", saying: "1 MB is too little memory", .serve(.photo),
      ["--memory", "1MB"])
  ]
}
