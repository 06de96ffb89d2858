package import Notifications
package import PushQueueing
internal import Supporting

/// Reports the outcomes of numbered pushes, by app and day, for people and for programs.
package struct DeliveryReport: Sendable {
  /// Sorted by day, then by app.
  private let rows: [DayStatistics]

  package init(_ statistics: [DayStatistics]) {
    rows = statistics.sorted { ($0.day, $0.app) < ($1.day, $1.app) }
  }

  /// The sum of all rows.
  var total: DayStatistics {
    rows.reduce(into: DayStatistics(app: "", day: 0)) { sum, row in
      for (statistic, count) in row.counts { sum[statistic] += count }
    }
  }

  /// A table with a line for each app and day, followed by notes about receipts. Ends with a line break.
  package var text: String {
    guard !rows.isEmpty else { return "no push got a position on these days\n" }
    let header = ["day", "app"] + Statistic.named.map(\.name)
    let lines =
      [header]
      + rows.map { row in
        [WallClock.date(ofDay: row.day), row.app.printable] + Statistic.named.map { "\(row[$0.statistic])" }
      }
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let table = lines.map { line in
      zip(line, widths).enumerated().map { column, cell in
        let gap = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < 2 ? cell.0 + gap : gap + cell.0
      }.joined(separator: "  ")
    }
    return (table + notes).joined(separator: "\n") + "\n"
  }

  private var notes: [String] {
    let total = total
    let delays = (0...Statistic.delayBounds.count).map { total[.delay(bucket: $0)] }
    let receipts = delays.reduce(0, +)
    guard receipts > 0 else { return [] }
    func share(within milliseconds: Int64) -> String {
      let count = zip(Statistic.delayBounds, delays).filter { $0.0 <= milliseconds }.reduce(0) { $0 + $1.1 }
      return "\(count * 100 / receipts) %"
    }
    let best = (0..<24).map { (hour: $0, count: total[.hour($0)]) }.filter { $0.count > 0 }
      .sorted { $0.count > $1.count }.prefix(3).map { "\($0.hour)" }
    return [
      "",
      "Seen within 1 s of APNs' answer: \(share(within: 1_000)); 1 min: \(share(within: 60_000)); 1 h: \(share(within: 3_600_000)).",
      "Most receipts came in the hours that begin at \(best.joined(separator: ", ")) (UTC).",
    ]
  }

  /// A JSON array with an object for each app and day.
  package func write(to writer: inout JSONWriter) {
    writer.array {
      for row in rows {
        $0.object {
          $0.member("app", row.app.printable)
          $0.member("day", WallClock.date(ofDay: row.day))
          for (name, statistic) in Statistic.named { $0.member(name, Int(row[statistic])) }
          $0.name("delays")
          $0.array {
            for bucket in 0...Statistic.delayBounds.count {
              $0.object {
                if bucket < Statistic.delayBounds.count {
                  $0.member("le_ms", Int(Statistic.delayBounds[bucket]))
                }
                $0.member("count", Int(row[.delay(bucket: bucket)]))
              }
            }
          }
          $0.name("hours")
          $0.array { for hour in 0..<24 { $0.write(Int(row[.hour(hour)])) } }
        }
      }
    }
  }
}
