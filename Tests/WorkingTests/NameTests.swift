import Glibc
import Misbehaving
import TestSupport
import Testing

/// A worker whose payloads name hosts that change their address, or never resolve.
@Suite("Names of many payloads", .timeLimit(.minutes(5)))
struct NameTests {
  @Test("a host that moves to an address that is not public gets no request there")
  func rebinding() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withNameServer(["media.example": .addresses(["127.0.0.1"], ttl: 0)]) { names in
        let behaviour = Behaviour.serve(.file("photo.jpg", "image/jpeg"))
        let url = place.server.url(behaviour, host: "media.example")
        let errands = [
          Errand(0, naming: url, .enriched("public.jpeg")),
          Errand(1, naming: url, .unmodified("address-blocked")),
        ]
        let run = try await place.work(["--name-servers", names.address]) { worker in
          try await place.publish(errands.prefix(1))
          try await place.wait(for: 1, in: "enriched")
          // The kernel takes that for 127.0.0.1, where the server listens.
          names.answer("media.example", with: .addresses(["0.0.0.0"], ttl: 0))
          try await place.publish(errands.dropFirst())
          try await place.wait(for: 2, in: "enriched")
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
        #expect(place.server.tally(of: behaviour).requests == 1)
        #expect(place.server.connections == 1)
      }
    }
  }

  @Test("1,000 payloads whose hosts never resolve leave no memory or descriptors behind")
  func silence() async throws {
    let hosts = (0..<1_000).map { "silent-\($0).example" }
    let answers = Dictionary(uniqueKeysWithValues: hosts.map { ($0, NameAnswer.silence) })
    try await withWorkplace(.sqlite) { place in
      try await withNameServer(answers) { names in
        let errands = hosts.enumerated().map { number, host in
          Errand(number, naming: "http://\(host)/a.jpg", .unanswered)
        }
        let run = try await place.work(["--name-servers", names.address, "--deadline", "300ms"]) { worker in
          let descriptors = "/proc/\(worker.process)/fd"
          try await place.publish(errands.prefix(200))
          try await place.wait(for: 200, in: "enriched")
          #expect(await eventually { Files.names(in: descriptors).count < 40 })
          let count = Files.names(in: descriptors).count
          let memory = try #require(ProcessStatus.privateBytes(of: worker.process))
          try await place.publish(errands.dropFirst(200))
          try await place.wait(for: 1_000, in: "enriched")
          // A lookup that is left behind has a socket and takes 75 KB.
          #expect(await eventually { Files.names(in: descriptors).count <= count + 2 })
          let growth = try #require(ProcessStatus.privateBytes(of: worker.process)) - memory
          #expect(growth <= 2_000_000)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
      }
    }
  }
}
