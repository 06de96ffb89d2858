internal import ArgumentParser
internal import Glibc
internal import Notifications
internal import PushQueueing
internal import Queueing
internal import Reporting
internal import Supporting

struct DeliveriesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deliveries",
    abstract: "Prints the outcomes of the numbered pushes, by day (UTC) and app.",
    discussion: """
      assigned: positions given; sent: answered by APNs, which accepted or rejected the push or called the token dead; expired: never \
      sent; receipts: seen by the device; asked: missed and asked for; resent: sent again; recovered: seen after that; lost: never \
      seen; late: asked for, and seen without being sent again; summaries: shown in a summary only.
      """)

  @OptionGroup var choice: PushQueueOption
  @Option(help: .value("topic", "Only this app.")) var app: String?
  @Option(help: .value("n", "Days to show, including today. (default: 7)")) var days: String?
  @Flag(help: "Print a JSON array with an object for each day and app.") var json = false

  func run() async throws {
    let count = try days.map { (text) throws(CommandError) in
      try CommandError.prefixed("--days: ") { try Parse.number(text, in: 1...PushQueueLimits.statisticsDays) }
    }
    let values = try choice.sources().values(PushQueueOption.rows)
    guard let opening = try PushQueueChoice(values) else {
      throw CommandError("--push-queue is missing: name the push queue that work or send uses")
    }
    if let path = opening.needs.database, unsafe access(path, F_OK) != 0, errno == ENOENT {
      throw CommandError("\(opening): there is no file \(path): check the name", .unavailable)
    }
    if let warning = opening.warning { Console.line(warning) }
    let today = WallClock.day
    let report: DeliveryReport
    do throws(QueueError) {
      let queue = try opening.open { Console.line($0) }
      report = DeliveryReport(
        try await queue.statistics(of: app, days: today - (count ?? 7) + 1...today))
    } catch {
      throw opening.failure(error)
    }
    guard json else { return Console.output(Array(report.text.utf8)) }
    var writer = JSONWriter()
    report.write(to: &writer)
    Console.output(writer.line())
  }
}

struct PushQueueOption: RowOptions {
  static let rows: [OptionRow] = [
    .pushQueue,
    OptionRow.caFile.explained(
      "Certificate authorities to trust in addition to the system's, for rediss://."),
    .config,
  ]

  var given: [String: [String]] = [:]
}
