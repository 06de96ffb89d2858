internal import ArgumentParser
internal import Confining
internal import Enriching
internal import Fetching
internal import Glibc
internal import Notifications
internal import Sending
internal import Supporting

struct EnrichCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrich",
    abstract: "Enriches one payload. Prints the result on stdout and one line about it on stderr.",
    discussion: """
      Exit status: 0 enriched, or nothing in it asked for media; 3 the payload is on stdout unchanged, with the \
      reason on stderr; 64 wrong usage; 65 the input is not a JSON object; 69 APNs has not accepted the push (--to); 70 a \
      defect; 74 stdout could not be written.

      Options can also be set in the environment (--public-url as PUSH_ENRICHER_PUBLIC_URL) and in the file that --config names, \
      except those for one payload: --explain, --report, --push-type, --to and --device-token. The command line wins, then the \
      environment.
      """)

  @Argument(help: .value("file", "File with the payload, or - for stdin.")) var file = "-"
  @OptionGroup var own: PayloadOptions
  @OptionGroup var common: CommonOptions

  static let rows = PayloadOptions.rows + CommonOptions.rows
  static let takesFile = true

  mutating func take(_ line: PlainCommandLine) {
    file = line.file ?? "-"
    own = PayloadOptions(line)
    common = CommonOptions(line)
  }

  /// Enters the sandbox while there is only one thread, because later threads inherit it.
  func run() throws {
    let sources = try common.sources()
    var options = try sources.values(CommonOptions.rows)
    options.enrichment.isDurable = false
    options.enrichment.prepareForOnePayload()
    let settings = options.enrichment
    let type = try readPushType()
    let push = try PushChoice(
      to: own[.recipient], deviceToken: own[.deviceToken], type, sources,
      trusting: settings.fetching.certificateFile)
    let reportFile = try openReport()
    var needs = try Needs(settings)
    if file != "-" { needs.paths?.addReadable(file) }
    if let push { try needs.add(push.queue) }
    let confinement = try options.confine(needs)
    Task.detached(priority: .medium) {
      do { try await run(settings, type, push, reportFile, confinement) } catch { Program.end(error) }
    }
  }

  private func run(
    _ settings: EnrichmentSettings, _ type: PushType?, _ push: PushChoice?, _ reportFile: Int32?,
    _ confinement: Confinement
  ) async throws {
    // Happens before the payload is read, so that it does not count against the deadline.
    let setup = Result { () throws(SetupError) in try Enricher(settings: settings) }
    if case .failure(let error) = setup, CommandError(setup: error).status == .usage { throw error }
    let input = try InputFile(path: file).read(maximum: Payload.maximumLength)
    guard input.count <= Payload.maximumLength else {
      throw refusal("it is longer than \(Payload.maximumLength.asBytes)", reportFile)
    }
    guard !input.isEmpty else { throw refusal("it is empty", reportFile) }
    let received = ContinuousClock.now
    let message: PushMessage
    do throws(PayloadError) {
      message = try PushMessage(input, settings.envelopes)
    } catch {
      throw refusal("\(error)", reportFile)
    }
    // If the setup failed, the payload still goes out, unchanged.
    if case .failure = setup { Console.output(message.bytes) }
    let enricher = try setup.get()
    let progress = EnrichmentProgress()
    let line = ProgressLine(following: progress)
    let enrichment = await enricher.enrich(message, pushType: type, received: received, recording: progress)
    line?.end()
    Console.output(enrichment.outcome.bytes)
    let explains = own[.explain] == "true"
    if explains { Console.text(Explanation(enrichment.report, confinement).text) }
    Console.line(enrichment.report.line)
    if enrichment.report.media.contains(where: { $0.stored != nil }),
      let warning = settings.missingURLWarning
    {
      Console.line(warning)
    }
    let story = await push?.send(enrichment.outcome.bytes)
    if let story {
      if explains { Console.text(story.explanation) }
      Console.line(story.line)
    }
    write(into: reportFile) {
      $0.object {
        enrichment.report.writeMembers(to: &$0)
        $0.member("push", story)
      }
    }
    let hasFailed = enrichment.outcome.failure?.reason.isFailure == true
    (story?.failure != nil ? ExitStatus.unavailable : hasFailed ? .fellBack : .done).end()
  }

  private func readPushType() throws(CommandError) -> PushType? {
    guard let pushType = own[.pushType] else { return nil }
    if let type = PushType(rawValue: pushType) { return type }
    let types = PushType.allCases.map(\.rawValue).joined(separator: ", ")
    throw CommandError("--push-type: '\(pushType)' is not one of \(types)")
  }

  /// Opens the report before anything is fetched, because a report that cannot be written is a
  /// mistake on the command line. Does not empty it yet, and throws if it is the payload itself. A
  /// FIFO without a reader is an error.
  private func openReport() throws(CommandError) -> Int32? {
    guard let report = own[.report] else { return nil }
    try InputFile.refuseStandardOutput(report, "--report", for: "the payload")
    let descriptor = unsafe open(report, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CommandError("--report \(report): \(String(errno: errno))") }
    if InputFile(path: file).isOverwritten(by: descriptor) {
      throw CommandError("--report \(report): this is the payload itself: name another file")
    }
    if let warning = FileExposure.warning(on: [report]) { Console.line(warning) }
    return descriptor
  }

  /// Returns the error for an input that is not a payload, and writes the report about it.
  private func refusal(_ detail: String, _ reportFile: Int32?) -> CommandError {
    let detail = "\(InputFile(path: file).name) is not a payload: \(detail)"
    write(into: reportFile) {
      $0.object {
        $0.member("outcome", "refused")
        $0.member("reason", Reason.invalidPayload.rawValue)
        $0.member("detail", detail)
      }
    }
    return CommandError(detail, .badInput)
  }

  private func write(into reportFile: Int32?, _ body: (inout JSONWriter) -> Void) {
    guard let reportFile else { return }
    var writer = JSONWriter()
    body(&writer)
    ftruncate(reportFile, 0)
    guard !FileBytes.write(writer.line(), to: reportFile) else { return }
    Console.line("--report \(own[.report] ?? ""): \(String(errno: errno))")
  }
}

/// The options of `enrich` for its one payload. They are only read from the command line.
struct PayloadOptions: RowOptions {
  static let rows: [OptionRow] = [.explain, .report, .pushType, .recipient, .deviceToken]
  var given: [String: [String]] = [:]

  subscript(row: OptionRow) -> String? { given[row.name]?.last }
}

extension OptionRow {
  fileprivate static let explain = OptionRow(
    "explain", kind: .simpleFlag, nil,
    "Say on stderr what was found, fetched and decided, and what to do about a failure.")
  fileprivate static let report = OptionRow("report", "file", "Write the same to a file, as JSON.")
  fileprivate static let pushType = OptionRow(
    "push-type", "type", "The push type that the payload is sent with: alert, background, voip, …")
  fileprivate static let recipient = to.explained(
    "Send the result to APNs, too: apns://HOST?key=FILE&key-id=ID&team-id=ID&topic=TOPIC.")
  fileprivate static let deviceToken = OptionRow(
    "device-token", "token", "The device to send it to, in hexadecimal or base64.")
}
