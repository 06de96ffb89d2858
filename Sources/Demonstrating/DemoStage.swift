package import Enriching
internal import Queueing
internal import Supporting

package struct DemoStage: Sendable {
  /// Makes an enricher from these command-line options.
  let enricher: @Sendable ([String]) throws -> Enricher
  let show: @Sendable (String) -> Void

  package init(
    enricher: @escaping @Sendable ([String]) throws -> Enricher, show: @escaping @Sendable (String) -> Void
  ) {
    self.enricher = enricher
    self.show = show
  }

  /// Shows a line for each case, and how many came out as they should. Returns how many did not.
  /// - Parameters:
  ///   - results: the published messages, by payload name.
  ///   - answers: APNs' answers to the results, if they were sent.
  ///   - more: shown before the last line.
  func show<Case: DemoRow>(
    _ cases: [Case], _ results: [String: Message], answers: [String: DemoPushes.Answer]? = nil,
    more: String = "", asTheyShould summary: String
  ) -> Int {
    var failures = 0
    for row in cases {
      let result = results[row.sent.name]
      let answer = answers?[row.sent.name]
      let isOther = answer?.received.map { $0 != result?.body } ?? false
      let difference =
        result.map { row.difference(from: $0) ?? (isOther ? "the device would get something else" : nil) }
        ?? "nothing was published"
      failures += difference == nil ? 0 : 1
      show(
        Case.text(
          row.sent.name, result?.header(ResultHeader.outcome) ?? "lost",
          result?.header(ResultHeader.elapsed).map { "\($0) ms" } ?? "",
          (answers == nil ? "" : DemoCase.text(status: answer?.status)) + row.story(of: result)
            + (difference.map { "  WRONG: \($0)" } ?? "")))
    }
    show("\(more)\n\(cases.count - failures) of \(cases.count) \(summary)")
    return failures
  }
}

struct DemoPayload {
  let name: String
  /// Options of the worker that takes the payload.
  let arguments: [String]
  let bytes: [UInt8]
}

/// A line of the demo's table: a payload, and the expected result.
protocol DemoRow {
  /// The widths of the columns with the payload's name and the time.
  static var widths: (name: Int, time: Int) { get }

  var sent: DemoPayload { get }
  /// How the published message differs from the expected one, in words. Nil if it does not.
  func difference(from result: Message) -> String?
  /// The text after the time.
  func story(of result: Message?) -> String
}

extension DemoRow {
  static func text(_ name: String, _ outcome: String, _ time: String, _ story: String) -> String {
    name.padded(to: widths.name) + outcome.padded(to: 12) + time.padded(to: widths.time) + story
  }
}

/// Says in one sentence why the demo cannot run here, and what to do about it. Exit status 64.
package struct DemoError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
