internal import Confining
internal import Enriching
internal import Fetching
internal import Notifications
internal import Sniffing
internal import Supporting

/// What happened to one payload, for a person who wants to know why a push shows no picture.
struct Explanation {
  /// A label and its text. If the text is nil, the line is left out.
  private typealias Line = (String, String?)

  let text: String

  init(_ report: Report, _ confinement: Confinement) {
    let missing = confinement.missing.map { "; not in force: \($0)" } ?? ""
    let envelope = report.envelope.map { "\($0), \(Self.payloads(of: report))" }
    let lines: [Line] =
      [("envelope:", envelope)] + report.media.flatMap(Self.lines)
      + report.failures.map { ("left out", "\($0.path): \($0.failure); \($0.failure.advice)") }
      + (report.category.map(Self.lines) ?? []) + [
        ("texts", report.texts?.explanation),
        ("memory", "\(report.peakPrivateBytes.megabytes) MB private at the peak"),
        ("sandbox", confinement.inForce + missing),
        ("device", report.failure?.reason.deviceAnswer), ("to do", report.failure?.advice),
      ]
    text = lines.compactMap { name, text in
      text.map { "\(name.padded(to: 8)) \($0.printable)\n" }
    }.joined()
  }

  /// A place is empty if the message lacks even the object in which the payload would be.
  private static func payloads(of report: Report) -> String {
    let named = report.places.filter { !$0.isEmpty }
    if named.isEmpty || !report.hasPayload { return "without a payload" }
    return "payload at \(named.joined(separator: ", "))"
  }

  private static func lines(on medium: MediaReport) -> [Line] {
    let reference = medium.reference
    let format = medium.format.map {
      "\($0.displayName) (\($0.uniformTypeIdentifier)), \("\($0.family)".withArticle) may be up to \((medium.limit ?? 0).asBytes)"
    }
    let facts = medium.facts
    let said = [
      facts.width.flatMap { width in facts.height.map { "\(width) × \($0) pixels" } },
      facts.frames.map { "\($0) frame\($0 == 1 ? "" : "s")" },
      facts.milliseconds.map { "\($0) ms" },
    ].compactMap(\.self).joined(separator: ", ")
    let places = medium.writtenPaths.joined(separator: ", ")
    let isPending = medium.failure == nil && medium.stored == nil
    var lines: [Line] = [
      ("medium", "\(reference.identifier): \(medium.url)"),
      ("url", RemoteURL.repairs(of: medium.spelledURL)),
      ("found", "at \(reference.path) (\(reference.dialect))"),
    ]
    lines += medium.fetch.hops.enumerated().map { ("hop \($0 + 1)", line(on: $1)) }
    lines.append(("bytes", format))
    lines.append(("content", said.isEmpty ? nil : said))
    lines += medium.disagreements.map { ("label", "\($0) disagrees with the bytes") }
    return lines + [
      ("warning", medium.warning?.text),
      ("cache", medium.cacheUse?.explanation),
      ("stored", medium.stored.map { "\($0.url), \($0.size.asBytes)" }),
      ("written", places.isEmpty ? nil : "at \(places)"), ("failed", medium.failure.map { "\($0)" }),
      ("pending", isPending ? "it was waiting for \(medium.waitingFor)" : nil),
    ]
  }

  private static func lines(on category: CategoryReport) -> [Line] {
    let place = category.url.map { "in \($0), which actions_url names" } ?? "in the payload"
    return [
      ("category", category.identifier.map { "\($0): \(category.count.of("action")) \(place)" }),
      ("category", category.refusal),
    ] + category.notes.map { ("actions", $0) }
  }

  private static func line(on hop: Hop) -> String {
    let times = [
      ("DNS", hop.timings.dns), ("connect", hop.timings.connect), ("TLS", hop.timings.tls),
      ("first byte", hop.timings.firstByte), ("end", hop.timings.total),
    ]
    let story = times.compactMap { name, time in time.map { "\(name) \($0.asMilliseconds)" } }
    return [
      hop.url, hop.attempt > 1 ? "try \(hop.attempt)" : nil, hop.address.map { "at \($0)" },
      hop.status.map { "HTTP \($0)" }, hop.received.asBytes, "ms: " + story.joined(separator: ", "),
    ].compactMap(\.self).joined(separator: "  ")
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

extension AppliedTexts {
  fileprivate var explanation: String {
    switch self {
    case .media: "the alert has the texts beside the media"
    case .substitute: "the alert has the provider's text for missing media"
    }
  }
}

extension Report {
  var line: String {
    let time = "\(elapsed.milliseconds) ms"
    if let failure {
      let refusal = category?.refusal.map { "; \($0.printable)" } ?? ""
      return "unmodified after \(time): \(failure); \(failure.advice)\(refusal)"
    }
    var names = media.map { medium in
      guard let stored = medium.stored else {
        return "\(medium.identifier) left out (\(medium.failure?.description ?? "not finished"))"
      }
      return
        "\(medium.identifier) is \(medium.format?.displayName.withArticle ?? "a file") of \(stored.size.asBytes)"
    }
    if let category, category.identifier != nil {
      names.append("\(category.count.of("action")) for its category")
    }
    let story = names.isEmpty ? "its content, which names no media" : names.joined(separator: ", ")
    let warnings = media.compactMap { $0.warning?.text }
    let rest = [
      leftOut.map { "left out \($0)" }, category?.refusal.map(\.printable),
      warnings.isEmpty ? nil : "\(warnings.count.of("warning")): \(warnings.joined(separator: "; "))",
    ].compactMap(\.self).map { "; \($0)" }.joined()
    return "enriched in \(time): \(story)\(rest)"
  }
}

extension Int {
  /// These microseconds as milliseconds, with one decimal.
  fileprivate var asMilliseconds: String { "\(self / 1_000).\(self % 1_000 / 100)" }
  /// These bytes as megabytes, with one decimal.
  var megabytes: String { "\(self / 1_000_000).\(self % 1_000_000 / 100_000)" }
}
