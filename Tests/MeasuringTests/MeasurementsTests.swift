import Decrypting
import Notifications
import Sniffing
import Supporting
import Testing

@testable import Enriching
@testable import Fetching
@testable import Measuring

@Suite("The measurements of a worker")
struct MeasurementsTests {
  private let start = ContinuousClock.now
  private let measurements: Measurements

  init() { measurements = Measurements(start: start) }

  @Test("count each payload by its outcome") func verdicts() throws {
    publish(nil, after: 1)
    publish(Failure(.noMedia, ""), after: 1)
    publish(Failure(.httpStatus, "404"), after: 6)
    let tally = measurements.tally(at: start + .seconds(8))
    let counts = Dictionary(zip(Verdict.allCases, tally.verdicts)) { first, _ in first }.filter {
      $0.value > 0
    }
    #expect(counts == [.enriched: 1, .unmodified(.noMedia): 1, .unmodified(.httpStatus): 1])
    #expect(tally.enriched.count == 1)
    #expect(tally.unmodified.count == 2)
    #expect(tally.recent.paces.suffix(2) == [.init(finished: 2, failed: 0), .init(finished: 1, failed: 1)])
    // A payload that asked for no media is not a failure.
    #expect(tally.failures.entries.map(\.reason) == [.httpStatus])
    #expect(tally.rate == 3.0 / 8)
  }

  @Test("know what is in flight, and what the queues refused") func queues() {
    measurements.receive(5)
    measurements.leave()
    measurements.failToReceive()
    measurements.failToPublish("unavailable")
    measurements.failToPublish("unavailable")
    measurements.failToPublish("refused", isDeadLetter: true)
    measurements.publish(Failure(.poison, ""), nil, isDeadLetter: true, after: .milliseconds(3))
    let tally = measurements.tally()
    #expect(tally.inFlight == 4)
    #expect(tally.consumed == 5)
    #expect(tally.receiveErrors == 1)
    #expect(tally.publishErrors == ["unavailable": 2])
    #expect(tally.letterErrors == ["refused": 1])
    #expect(tally.deadLetters == 1)
    #expect(tally.publishing.sum == 3_000)
  }

  @Test("count attached files that iOS may not show, by kind") func warnings() throws {
    for warning in [MediaWarning.av1, .cmyk, .av1, nil] {
      var medium = try report("https://media.example/clip")
      medium.facts.warning = warning
      medium.stored = .init(url: "", size: 1, sha256: "")
      publish(nil, [medium], after: 1)
    }
    // The warning is known before the store fails.
    var lost = try report("https://media.example/clip")
    (lost.facts.warning, lost.failure) = (.av1, Failure(.storeFailed, ""))
    publish(Failure(.storeFailed, ""), [lost], after: 1)
    let family = try #require(
      measurements.tally().metrics(from: [], to: [], deadLetters: [])
        .first { $0.name == "push_enricher_media_warnings_total" })
    #expect(family.samples.map(\.labels) == MediaWarning.allCases.map { [.init("kind", $0.rawValue)] })
    let counts = family.samples.map { "\($0.value)" }
    #expect(counts == MediaWarning.allCases.map { "count(\([.av1: 2, .cmyk: 1][$0] ?? 0))" })
  }

  @Test("have stages, bytes and hosts of each request, and nothing else of the URLs") func media() throws {
    var medium = try report("https://first.example/photo?token=s3cret#key")
    var hop = Hop(url: "https://first.example/photo?token=s3cret", attempt: 1)
    (hop.timings.dns, hop.timings.firstByte, hop.timings.total, hop.received) = (10, 30, 60, 1_000)
    var next = Hop(url: "https://second.example/", attempt: 1, error: .tlsFailed(detail: "expired"))
    (next.timings.total, next.received) = (500, 24)
    medium.fetch.hops = [hop, next]
    medium.failure = Failure(.tlsFailed, "expired")
    publish(Failure(.tlsFailed, "expired"), [medium], after: 1)
    let tally = measurements.tally(at: start + .seconds(1))
    #expect(tally.received == 1_024)
    #expect(tally.slowestHosts(8).map(\.host) == ["second.example", "first.example"])
    #expect(tally.slowestHosts(8).map(\.failures) == [1, 0])
    #expect(tally.failures.entries.map(\.host) == ["second.example"])
    #expect(
      zip(Stage.allCases, tally.stages).filter { $1.count > 0 }.map(\.0) == [.lookup, .firstByte, .transfer])
    #expect(!"\(tally)".contains("s3cret"))
    #expect(!"\(tally)".contains("photo"))
  }

  @Test("charge the time until the deadline to the host that was waited for") func unfinished() throws {
    var medium = try report("https://silent.example/photo")
    medium.fetch.phase = .receiving
    medium.fetch.received = 77
    publish(Failure(.deadlineExceeded, ""), [medium], elapsed: .seconds(30), after: 31)
    let tally = measurements.tally(at: start + .seconds(31))
    #expect(tally.slowestHosts(1).map(\.spent) == [30_000_000])
    #expect(tally.slowestHosts(1).map(\.failures) == [1])
    #expect(tally.received == 77)
    #expect(tally.failures.entries.map(\.host) == ["silent.example"])
  }

  @Test("have what was attached, and how long it took to store") func attached() throws {
    var medium = try report("https://a.example/")
    medium.stored = MediaReport.Stored(url: "", size: 500, sha256: "")
    medium.storing = .milliseconds(2)
    medium.fetch.phase = .done
    publish(nil, [medium], after: 1)
    let tally = measurements.tally()
    #expect(tally.attached == 500)
    #expect(zip(Stage.allCases, tally.stages).filter { $1.count > 0 }.map(\.1.sum) == [2_000])
    #expect(tally.slowestHosts(1).isEmpty)
  }

  private func publish(
    _ failure: Failure?, _ media: [MediaReport] = [], elapsed: Duration = .milliseconds(7), after seconds: Int
  ) {
    let outcome = failure.map { Outcome.unmodified([], $0) } ?? .enriched([])
    measurements.publish(
      failure, Report(outcome, media: media, elapsed: elapsed), isDeadLetter: false, after: .milliseconds(1),
      at: start + .seconds(seconds))
  }

  private func report(_ url: String) throws -> MediaReport {
    let text = #"{"aps":{"alert":"a","mutable-content":1},"media":{"url":"\#(url)"}}"#
    let reference = try #require(try Payload(Array(text.utf8)).mediaReferences().first)
    return MediaReport(MediaRequest(reference, KeyRing()))
  }
}
