import Enriching
import Misbehaving
import TestSupport
import Testing

/// One way for a payload to go out as it came. A row says what happens; `FallbackTests` checks what must
/// follow.
struct Fallback: Sendable, CustomTestStringConvertible {
  let reason: Reason
  let what: String
  /// A part of the line on stderr.
  let saying: String
  /// Files that are in the store nevertheless: media that did work.
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

  /// All but those of time.
  static let quick =
    ofPayloads + ofCiphertexts + ofURLs + ofAddresses + ofNames + ofConnections + ofAnswers + ofBodies
    + ofStores + ofMemory

  /// A payload alone: nothing is fetched.
  static func payload(
    _ reason: Reason, _ what: String, saying: String = "", _ payload: [UInt8], _ options: [String] = []
  ) -> Fallback {
    Fallback(reason, what, saying: saying) { try await enrich(payload, options) }
  }

  /// A payload that names one medium, which a server behaves badly about.
  static func server(
    _ reason: Reason, _ what: String, saying: String = "", _ behaviour: Behaviour, _ options: [String] = []
  ) -> Fallback {
    Fallback(reason, what, saying: saying) {
      try await withHostileServer { server in
        try await enrich(Push.naming(server.url(behaviour)), reaching(server.port) + options)
      }
    }
  }

  /// A payload whose medium is on a host that a name server has this to say about.
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
