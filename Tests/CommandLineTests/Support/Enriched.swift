import Enriching
import Glibc
import Notifications
import TestSupport
import Testing

/// The result of `push-enricher enrich` for one payload.
struct Enriched: Sendable {
  let input: [UInt8]
  let run: Run
  /// The contents of `--report`; nil if it was not written.
  let report: JSONDocument?
  /// The names of the files in the store afterwards.
  let stored: [String]

  var outcome: String? { report?.root["outcome"]?.string }
  var reason: String? { report?.root["reason"]?.string }

  /// The entry of the report for each medium.
  var media: [JSONValue] { report?.root["media"].map { Array($0.elements) } ?? [] }

  /// The lines on stderr.
  var told: [String] { run.standardError.split(separator: "\n").map(String.init) }

  /// The only line on stderr without `--explain`; empty if there is not exactly one.
  var line: String {
    let lines = run.standardError.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count == 2 && lines[1].isEmpty ? String(lines[0]) : ""
  }
}

/// The prefix of the URLs of stored files in these tests.
let publicURL = "https://cdn.example/"

/// Runs `push-enricher enrich` with its own store and report.
///
/// The `options` come after `--store`, `--report` and `--public-url`, and may override them. One of
/// these three can be `omitted`. A `wrapper` is a program, with arguments, that runs the rest of
/// its arguments as a command.
func enrich(
  _ payload: [UInt8], _ options: [String] = [], environment: [String: String] = [:],
  leavingOut omitted: String? = nil, through wrapper: [String] = []
) async throws -> Enriched {
  try await withTemporaryDirectory { folder in
    let (store, report) = (folder.path(of: "store"), folder.path(of: "report.json"))
    #expect(unsafe mkdir(store, 0o755) == 0)
    let own = [["--store", store], ["--report", report], ["--public-url", publicURL]].filter {
      $0[0] != omitted
    }
    let words = wrapper + [PushEnricher.path, "enrich"] + own.joined() + options
    let run = try await Turns.shared.take {
      try await Command(words[0]).run(Array(words.dropFirst()), input: payload, environment: environment)
    }
    let written = try? Files.read(report)
    return Enriched(
      input: payload, run: run, report: try written.flatMap { $0.isEmpty ? nil : try JSONDocument($0) },
      stored: Files.names(in: store))
  }
}

/// Expects the payload to come out byte for byte, with its reason in the report, and one line on
/// stderr that says what to do.
func expectUnmodified(
  _ enriched: Enriched, _ reason: Reason, saying detail: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let isFine = [.notMutable, .noAlert, .noAPS, .noMedia].contains(reason)
  #expect(enriched.run.standardOutput == enriched.input, sourceLocation: sourceLocation)
  #expect(enriched.run.termination == .exited(isFine ? 0 : 3), sourceLocation: sourceLocation)
  #expect(enriched.outcome == "unmodified", sourceLocation: sourceLocation)
  #expect(enriched.reason == reason.rawValue, sourceLocation: sourceLocation)
  #expect(
    enriched.line.hasPrefix("push-enricher: unmodified after "), "\(enriched.line)",
    sourceLocation: sourceLocation)
  #expect(
    enriched.line.contains(" ms: \(reason.rawValue): "), "\(enriched.line)", sourceLocation: sourceLocation)
  #expect(enriched.line.contains(detail), "\(enriched.line)", sourceLocation: sourceLocation)
  // Some failures have their own advice.
  let isGeneral =
    withOwnAdvice.contains(reason) && enriched.line.split(separator: "; ").count > 1
    || enriched.line.hasSuffix("; \(reason.advice)")
  #expect(isGeneral, "\(enriched.line)", sourceLocation: sourceLocation)
}

/// Reasons whose advice depends on the cause.
private let withOwnAdvice: [Reason] = [
  .storeFailed, .notMutable, .noAPS, .noMedia, .urlInvalid, .schemeNotAllowed, .connectFailed, .tlsFailed,
  .httpStatus, .tooManyPixels, .typeUnsupported, .addressBlocked, .deadlineExceeded, .memoryExceeded,
]
