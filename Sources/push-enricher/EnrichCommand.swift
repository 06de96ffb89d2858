internal import ArgumentParser
internal import Confining
internal import Enriching
internal import Glibc
internal import Notifications
internal import Supporting

struct EnrichCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrich",
    abstract: "Enriches one payload: the result on stdout, one line about it on stderr.",
    discussion: """
      Exit status: 0 enriched, or nothing in it asked for media; 3 the payload is on stdout as it came, with the \
      reason on stderr; 64 wrong usage; 65 the input is no JSON object; 70 a defect; 74 stdout could not be written.

      Every option can also stand in the environment (--public-url as PUSH_ENRICHER_PUBLIC_URL) and in the file that --config \
      names. The command line wins, then the environment.
      """)

  @Argument(help: ArgumentHelp("File of the payload; stdin without it.", valueName: "file"))
  var file = "-"
  @Flag(help: "Tell on stderr what was found, fetched and decided, and what to do about a failure.")
  var explain = false
  @Option(help: ArgumentHelp("Write the same as JSON into a file.", valueName: "file"))
  var report: String?
  @Option(
    help: ArgumentHelp(
      "The push type that the payload is sent with: alert, background, voip, …", valueName: "type"))
  var pushType: String?
  @OptionGroup var common: CommonOptions

  /// The sandbox is entered while there is only this thread: threads that are started later inherit it.
  func run() {
    let sources = OptionSources.ofProcess(file: common.config)
    let settings = settings(sources)
    let type = readPushType()
    let reportFile = openReport()
    let confinement = OptionError.orExit { () throws(OptionError) in
      var needs = try Needs(settings)
      if file != "-" { needs.paths?.addReadable(file) }
      return try common.confine(needs, from: sources)
    }
    Task.detached(priority: .medium) {
      await run(settings, type, reportFile, confinement)
    }
  }

  private func run(
    _ settings: EnrichmentSettings, _ type: PushType?, _ reportFile: Int32?, _ confinement: Confinement
  ) async {
    // Before the payload is read: setting up does not count against its deadline.
    let setup = Enricher.make(settings)
    if case .failure(let error) = setup, error.status == .usage { error.status.end(error.text) }
    let input = readInput()
    guard input.count <= Payload.maximumLength else {
      refuse("it is longer than \(Payload.maximumLength) bytes", reportFile)
    }
    let received = ContinuousClock.now
    let payload: Payload
    do throws(PayloadError) {
      payload = try Payload(input)
    } catch {
      refuse("\(error)", reportFile)
    }
    let enricher = enricher(setup, payload)
    let progress = EnrichmentProgress()
    let line = ProgressLine(following: progress)
    let enrichment = await enricher.enrich(payload, pushType: type, received: received, recording: progress)
    line?.end()
    Console.output(enrichment.outcome.bytes)
    tell(enrichment, reportFile, confinement)
    ExitStatus(enrichment.outcome).end()
  }

  /// Where the payload comes from, for messages.
  private var source: String { InputFile.name(of: file) }

  private func settings(_ sources: OptionSources) -> EnrichmentSettings {
    OptionError.orExit { () throws(OptionError) in
      var settings = try common.settings(from: sources)
      settings.isDurable = false
      settings.prepareForOnePayload()
      return settings
    }
  }

  /// Without an enricher the payload still goes out as it came.
  private func enricher(_ setup: Result<Enricher, SetupError>, _ payload: Payload) -> Enricher {
    switch setup {
    case .success(let enricher): return enricher
    case .failure(let error):
      Console.output(payload.bytes)
      error.status.end(error.text)
    }
  }

  private func readPushType() -> PushType? {
    guard let pushType else { return nil }
    guard let type = PushType(rawValue: pushType) else {
      let types = PushType.allCases.map(\.rawValue).joined(separator: ", ")
      ExitStatus.usage.end("--push-type: '\(pushType)' is none of \(types)")
    }
    return type
  }

  /// Opened before anything is fetched: a report that cannot be written is a mistake on the command line. The
  /// file is emptied only when the report is written, and never if it is the payload itself. A FIFO without a
  /// reader is an error.
  private func openReport() -> Int32? {
    guard let report else { return nil }
    InputFile.refuseStandardOutput(report, "--report", for: "the payload")
    let descriptor = unsafe open(report, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      ExitStatus.usage.end("--report \(report): \(String(errno: errno))")
    }
    if InputFile.isOverwritten(file, by: descriptor) {
      ExitStatus.usage.end("--report \(report): this is the payload itself: name another file")
    }
    if let warning = FileExposure.warning(on: [report]) { Console.line(warning) }
    return descriptor
  }

  private func readInput() -> [UInt8] {
    guard let bytes = InputFile.read(file, maximum: Payload.maximumLength) else {
      ExitStatus.usage.end(Console.failure(of: source))
    }
    return bytes
  }

  private func tell(_ enrichment: Enrichment, _ reportFile: Int32?, _ confinement: Confinement) {
    if explain { Console.text(Explanation(enrichment.report, confinement).text) }
    Console.line(enrichment.report.line)
    var writer = JSONWriter()
    writer.write(enrichment.report)
    write(writer, into: reportFile)
  }

  /// Ends the process; without a payload the report has no media.
  private func refuse(_ detail: String, _ reportFile: Int32?) -> Never {
    let detail = "\(source) is no payload: \(detail)"
    var writer = JSONWriter()
    writer.object {
      $0.member("outcome", "refused")
      $0.member("reason", Reason.invalidPayload.rawValue)
      $0.member("detail", detail)
    }
    write(writer, into: reportFile)
    ExitStatus.badInput.end(detail)
  }

  private func write(_ writer: JSONWriter, into reportFile: Int32?) {
    guard let reportFile else { return }
    ftruncate(reportFile, 0)
    if !FileBytes.write(writer.line(), to: reportFile) {
      Console.line("--report \(report ?? ""): \(String(errno: errno))")
    }
  }
}

extension ExitStatus {
  init(_ outcome: Outcome) {
    self = outcome.failure?.reason.isFailure == true ? .fellBack : .done
  }
}
