internal import Confining
internal import Enriching
internal import Fetching
internal import Notifications
internal import Sniffing
internal import Supporting

/// The story of one payload, for a person who wants to know why a push shows no picture.
struct Explanation {
  let text: String

  init(_ report: Report, _ confinement: Confinement) {
    var lines: [(String, String)] = []
    for medium in report.media { lines += Self.lines(on: medium) }
    lines.append(("memory", "\(report.peakPrivateBytes.megabytes) MB private at the peak"))
    let missing = confinement.missing.map { "; not in force: \($0)" }
    lines.append(("sandbox", confinement.inForce + (missing ?? "")))
    if let failure = report.failure {
      lines.append(("device", failure.reason.deviceAnswer))
      lines.append(("to do", failure.advice))
    }
    text = lines.map { "\($0.0.padded(to: 8)) \($0.1.printable)\n" }.joined()
  }

  private static func lines(on medium: MediaReport) -> [(String, String)] {
    let reference = medium.reference
    var lines = [
      ("medium", "\(reference.identifier): \(medium.url)"),
      ("found", "at \(reference.path) (\(reference.dialect))"),
    ]
    for (number, hop) in medium.fetch.hops.enumerated() {
      lines.append(("hop \(number + 1)", Self.line(on: hop)))
    }
    if let format = medium.format {
      lines.append(
        (
          "bytes",
          "\(format.displayName) (\(format.uniformTypeIdentifier)), limit for \(format.family) \(medium.limit ?? 0) bytes"
        ))
    }
    for label in medium.disagreements {
      lines.append(("label", "\(label) says something else than the bytes"))
    }
    if let use = medium.cacheUse { lines.append(("cache", use.explanation)) }
    if let stored = medium.stored { lines.append(("stored", "\(stored.url), \(stored.size) bytes")) }
    if !medium.writtenPaths.isEmpty {
      lines.append(("written", "at \(medium.writtenPaths.joined(separator: ", "))"))
    }
    if let failure = medium.failure {
      lines.append(("failed", "\(failure)"))
    } else if medium.stored == nil {
      lines.append(("pending", "it was waiting for \(medium.waitingFor)"))
    }
    return lines
  }

  private static func line(on hop: Hop) -> String {
    let times = [
      ("DNS", hop.timings.dns), ("connect", hop.timings.connect), ("TLS", hop.timings.tls),
      ("first byte", hop.timings.firstByte), ("end", hop.timings.total),
    ]
    let story = times.compactMap { name, time in time.map { "\(name) \($0.asMilliseconds)" } }
    return [
      hop.url, hop.attempt > 1 ? "try \(hop.attempt)" : nil, hop.address.map { "at \($0)" },
      hop.status.map { "HTTP \($0)" }, "\(hop.received) bytes", "ms: " + story.joined(separator: ", "),
    ].compactMap { $0 }.joined(separator: "  ")
  }
}

extension CacheUse {
  fileprivate var explanation: String {
    switch self {
    case .hit: "hit: it was fetched before, and is fresh"
    case .revalidated: "revalidated: it was fetched before, and the server says that it has not changed"
    case .miss: "miss: it was fetched"
    case .shared: "shared: another payload was fetching it"
    }
  }
}

extension Report {
  /// The outcome in one line.
  var line: String {
    let time = "\(elapsed.milliseconds) ms"
    guard let failure else {
      let names = media.map { medium in
        guard let stored = medium.stored else {
          return "\(medium.identifier) left out (\(medium.failure?.description ?? "not finished"))"
        }
        return "\(medium.identifier) is \(medium.format?.displayName ?? "a file") of \(stored.size) bytes"
      }
      return
        "enriched in \(time): \(names.isEmpty ? "its content, which names no media" : names.joined(separator: ", "))"
    }
    return "unmodified after \(time): \(failure); \(failure.advice)"
  }
}

extension Int {
  /// Microseconds as milliseconds with one place.
  fileprivate var asMilliseconds: String { "\(self / 1_000).\(self % 1_000 / 100)" }

  /// Bytes as megabytes with one place.
  var megabytes: String { "\(self / 1_000_000).\(self % 1_000_000 / 100_000)" }
}
