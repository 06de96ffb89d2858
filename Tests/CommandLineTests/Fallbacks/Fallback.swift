import Enriching
import Misbehaving
import TestSupport
import Testing

/// A way in which a payload goes out unmodified. A row sets up the situation, and `FallbackTests`
/// checks the result.
struct Fallback: Sendable, CustomTestStringConvertible {
  let reason: Reason
  let what: String
  /// A part of the line on stderr.
  let saying: String
  /// The number of files that are stored anyway, because their media did work.
  let stored: Int
  let run: @Sendable () async throws -> Enriched

  init(
    _ reason: Reason, _ what: String, saying: String = "", stored: Int = 0,
    _ run: @escaping @Sendable () async throws -> Enriched
  ) {
    self.reason = reason
    self.what = what
    self.saying = saying
    self.stored = stored
    self.run = run
  }

  var testDescription: String { "\(reason.rawValue): \(what)" }

  /// All rows except those that wait for a deadline.
  static let quick =
    ofPayloads + ofCiphertexts + ofURLs + ofAddresses + ofNames + ofConnections + ofAnswers + ofBodies
    + ofStores + ofMemory

  /// A payload for which nothing is fetched.
  static func payload(
    _ reason: Reason, _ what: String, saying: String = "", _ payload: [UInt8], _ options: [String] = []
  ) -> Fallback {
    Fallback(reason, what, saying: saying) { try await enrich(payload, options) }
  }

  /// A payload with one medium, whose server behaves badly.
  static func server(
    _ reason: Reason, _ what: String, saying: String = "", _ behaviour: Behaviour, _ options: [String] = []
  ) -> Fallback {
    Fallback(reason, what, saying: saying) {
      try await withHostileServer { server in
        try await enrich(Push.naming(server.url(behaviour)), reaching(server.port) + options)
      }
    }
  }

  /// A payload with one medium, for whose host a name server gives this answer.
  static func name(
    _ reason: Reason, _ what: String, saying: String = "", _ answer: NameAnswer, _ options: [String] = []
  ) -> Fallback {
    Fallback(reason, what, saying: saying) {
      try await withNameServer(["media.test": answer]) { names in
        try await enrich(
          Push.naming("https://media.test/photo.jpg"), ["--name-servers", names.address] + options)
      }
    }
  }
}
