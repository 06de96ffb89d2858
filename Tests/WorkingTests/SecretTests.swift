import Glibc
import Misbehaving
import Notifications
import Queueing
import TestSupport
import Testing

/// Keys are in the key file and in ciphertext, and nowhere else, whatever fails.
@Suite("Keys", .timeLimit(.minutes(5)))
struct SecretTests {
  @Test("keys are in no log, no report and no result") func nowhere() async throws {
    try await withWorkplace(.sqlite) { place in
      let secrets = try await Secrets(place)
      let payloads = try await secrets.payloads()
      #expect(payloads.count > 30)
      var told: [String] = []
      for payload in payloads {
        let report = place.folder.path(of: "report.json")
        let run = try await PushEnricher.run(
          ["enrich", "--explain", "--report", report, "--keys", secrets.keys, "--store", place.store]
            + reaching(place.server.port), input: payload)
        told += [run.output, run.standardError, String(decoding: try Files.read(report), as: UTF8.self)]
      }
      let run = try await work(on: payloads, with: secrets, at: place) { worker in
        let limits = String(decoding: try Files.read("/proc/\(worker.process)/limits"), as: UTF8.self)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
      }
      told.append(run.standardError)
      for result in try await place.contents("enriched") {
        told.append(String(decoding: result.body, as: UTF8.self))
        told += result.headers.map(\.value)
      }
      let all = Array(told.joined(separator: "\n").utf8)
      for (name, needle) in secrets.needles {
        #expect(!MemoryImage.contains(needle, in: all), "\(name)")
      }
      // Checks that all of these failures did happen.
      for reason in [
        "decrypt-failed", "key-unknown", "type-unsupported", "http-status", "body-truncated",
        "body-too-large",
      ] {
        #expect(run.standardError.contains(#""reason":"\#(reason)""#), "\(reason)")
      }
      #expect(told.contains { $0.contains(#""attachments":[{"identifier":"media""#) })
    }
  }

  @Test(
    "keys are not in the memory image of a running worker",
    .enabled("needs CAP_SYS_PTRACE, because a worker is not dumpable") { try MemoryImage.areAllowed })
  func image() async throws {
    try await withWorkplace(.sqlite) { place in
      let secrets = try await Secrets(place)
      let run = try await work(on: secrets.payloads(), with: secrets, at: place) { worker in
        let image = try MemoryImage(of: worker.process)
        #expect(
          image.contains(Array("PUSH_ENRICHER_LEASE".utf8)),
          "the image lacks even a variable of the environment")
        for (name, needle) in secrets.needles { #expect(!image.contains(needle), "\(name)") }
      }
      #expect(run.standardError.contains(#""reason":"decrypt-failed""#))
    }
  }

  /// Lets a worker take all `payloads`, and calls `body` before it ends.
  private func work(
    on payloads: [[UInt8]], with secrets: Secrets, at place: Workplace,
    then body: @Sendable (RunningWorker) async throws -> Void
  ) async throws -> Run {
    try await place.publish(
      payloads.enumerated().map {
        Errand($0.offset, String(decoding: $0.element, as: UTF8.self), .enriched(""))
      })
    return try await place.work(["--keys", secrets.keys]) { worker in
      try await place.wait(for: payloads.count, in: "enriched")
      try await body(worker)
      _ = kill(worker.process, SIGTERM)
    }
  }

  private func reaching(_ port: Int) -> [String] {
    ["--allow-http", "--allow-network", "127.0.0.0/8", "--allow-port", "\(port)"]
  }
}
