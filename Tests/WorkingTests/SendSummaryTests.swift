import Logging
import Measuring
import Synchronization
import Testing

@testable import Sending
@testable import push_enricher

@Suite("What send logs each minute") struct SendSummaryTests {
  @Test("a line if something has changed, with all counts since the start that are not zero")
  func eachMinute() async {
    let lines = LogNotes()
    let counts = Mutex(SendingTally.Counts())
    let measurements = Measurements()
    let summary = SendSummary(log: lines.logger, measurements: measurements) { counts.withLock { $0 } }
    var minute = 0
    // A minute passes at once. Then its line is written.
    await summary.tellRegularly {
      minute += 1
      switch minute {
      case 1, 3: break
      case 2: counts.withLock { $0.sent = 1_000 }
      case 4:
        counts.withLock {
          ($0.sent, $0.repeated, $0.uncertain) = (2_000, 3, 2)
          $0.refused = ["BadDeviceToken": 1, "Unregistered": 12, "500": 1]
          // Not in the line: it changes all the time.
          $0.connectionsOpened = 5
        }
        measurements.settle(sent: 2_000, rejected: ["apns-rejected", "token-invalid"])
        measurements.postpone(4)
      default: throw CancellationError()
      }
    }
    let last =
      "accepted=2000 dead_letters=2 put_aside=4 refused=12 Unregistered, 1 500, 1 BadDeviceToken repeated=3 uncertain=2"
    #expect(lines.all == ["info: sent so far accepted=1000", "info: sent so far \(last)"])
    // Nothing has changed since, but the end has its line.
    summary.tell()
    #expect(lines.all.last == "info: sent \(last)")
  }

  @Test("nothing more once its task is cancelled") func cancelled() async {
    let lines = LogNotes()
    let summary = SendSummary(log: lines.logger, measurements: Measurements()) { SendingTally.Counts() }
    let task = Task { await summary.tellRegularly() }
    task.cancel()
    await task.value
    #expect(lines.all == [])
  }
}

/// Keeps log lines, with their metadata in the order in which `ConsoleLog` writes it.
private final class LogNotes: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }
  var logger: Logger { Logger(label: "test") { _ in Handler(notes: self) } }

  private struct Handler: LogHandler {
    let notes: LogNotes
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let members = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
      notes.lines.withLock { $0.append("\(event.level): \(event.message)\(members.joined())") }
    }
  }
}
