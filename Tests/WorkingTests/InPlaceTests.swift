import Misbehaving
import Queueing
import TestSupport
import Testing

/// `work --write in-place`, as in a container.
@Suite("Written in place", .timeLimit(.minutes(5)))
struct InPlaceTests {
  @Test("the published payload names the stored files where the SDKs look, and these files count as in use")
  func work() async throws {
    try await withWorkplace(.sqlite) { place in
      let photo = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      func payload(_ number: Int, naming url: String) -> [UInt8] {
        Array(
          #"{ "aps":{"alert":"Ü\#(number)","mutable-content":1}, "fcm_options":{"image":"\#(url)"}, "n":1.0e0 }"#
            .utf8)
      }
      let missing = place.server.url(.serve(Response(status: 404)))
      let messages = (0..<6).map { number in
        Message(id: "\(number)", body: payload(number, naming: number < 4 ? photo : missing))
      }
      try await place.queue("incoming").publish(messages)
      let run = try await place.work(
        ["--until-empty", "--cache", "1MB"],
        environment: [
          "PUSH_ENRICHER_WRITE": "in-place", "PUSH_ENRICHER_PUBLIC_URL": "https://cdn.example",
        ])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      let name = try #require(Files.names(in: place.store).first { $0.hasSuffix(".jpg") })
      for (number, message) in messages.enumerated() {
        let result = try #require(results.first { $0.id == message.id })
        #expect(
          result.body
            == (number < 4 ? payload(number, naming: "https://cdn.example/\(name)") : message.body))
      }
      let prune = try await PushEnricher.run(
        ["store", "prune", "--older-than", "1d", "--store", place.store])
      #expect(prune.standardError == "push-enricher: 0 files of 0 bytes removed, 1 file in use\n")
    }
  }
}
