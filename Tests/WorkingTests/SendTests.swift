import BuiltInQueueing
import Queueing
import TestSupport
import Testing

/// The options of `push-enricher send`. Its work is tested in `SendToAPNsTests` and in SendingTests.
@Suite("The command send", .timeLimit(.minutes(5)))
struct SendTests {
  static func queue(_ broker: any Broker, _ name: String) throws(QueueError) -> any Queue {
    try QueueKind.builtIn.url(broker.url(name), defaultQueue: name)
      .open(in: Queues(), for: .taking, createsFile: true)
  }

  private static let apns = "apns://h?key=k&key-id=ABC123DEFG&team-id=DEF123GHIJ"
  private static let wrong = [
    (
      [],
      "name a queue to take from and where to send to: --from is missing; write --from 'sqlite:push-enricher.db?queue=enriched'"
    ),
    (
      ["--from", "-"],
      "name a queue to take from and where to send to: --to is missing; write --to 'apns://api.push.apple.com?key=FILE&key-id=ID&team-id=ID'"
    ),
    (["--from", "http://127.0.0.1:0", "--to", apns], "a door takes payloads for work only"),
    (
      ["--from", "sqlite:q.db?queue=a", "--to", "sqlite:q.db?queue=b"],
      "--to sqlite:q.db?queue=b: send sends to APNs only: write it like 'apns://api.push.apple.com?key=FILE&key-id=ID&team-id=ID'"
    ),
    (["--from", "-", "--to", "-"], "--to -: send sends to APNs only"),
    (["--from", "-", "--to", "redis://:secret@h/s"], "--to redis://:***@h/s: send sends to APNs only"),
    (
      ["--from", "-", "--to", "apns://h?key=k"],
      "its parameter key-id is missing: the id of the key, ten letters"
    ),
    (
      ["--from", "sqlite:q.db?queue=a", "--to", apns, "--dead-tokens", "sqlite:q.db?queue=a"],
      "this is the queue that --from names"
    ),
    (["--from", apns, "--to", apns], "APNs is a target: name it with --to, and take from a queue"),
    (["--from", "-", "--to", apns, "--dead-letters", apns], "APNs takes no dead letters"),
    (["--from", "-", "--to", apns, "--dead-tokens", "http://127.0.0.1:0"], "name a queue for dead tokens"),
    (["--from", "-", "--to", apns, "--status", "here"], "--status: 'here' is not an address and port"),
  ]

  @Test("what is missing or wrong is a mistake in the usage", arguments: wrong)
  func mistakes(arguments: [String], text: String) async throws {
    try await withTemporaryDirectory { folder in
      func here(_ text: String) -> String { text.replacing("q.db", with: folder.path(of: "q.db")) }
      let run = try await PushEnricher.run(["send"] + arguments.map(here))
      #expect(run.exitStatus == 64)
      #expect(run.standardError.contains(here(text)), "\(run.standardError)")
    }
  }
}
