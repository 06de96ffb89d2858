internal import Notifications
internal import Queueing
internal import Supporting

/// Every payload of the fixtures, with real media.
package struct FixtureDemo {
  private let folder: DemoFolder
  private let stage: DemoStage

  /// - Parameter fixtures: the folder with payloads and media; nil for that of the checkout or the
  ///   installation.
  /// - Throws: `DemoError` when there is none.
  package init(_ fixtures: String?, on stage: DemoStage) throws(DemoError) {
    guard let folder = fixtures.map({ DemoFolder(path: $0) }) ?? DemoFolder.fixtures() else {
      throw DemoError(
        "there is no folder Fixtures here: run it in the checkout, or name one with --fixtures")
    }
    self.folder = folder
    self.stage = stage
  }

  /// - Returns: how many cases came out otherwise than they should.
  /// - Throws: `DemoError` for a folder that holds no fixtures.
  package func run() async throws -> Int {
    let payloads = DemoFolder(path: "\(folder.path)/payloads")
    let media = DemoFolder(path: "\(folder.path)/media")
    guard let names = payloads.names, let files = media.names else {
      throw DemoError("\(folder.path) has no folders payloads and media: name another with --fixtures")
    }
    let home = try TemporaryFolder()
    let encrypted = try EncryptedCases(in: folder, home: home.path)
    let sealed = DemoFolder(path: "\(folder.path)/encrypted/media")
    let server = try await DemoMediaServer.start(
      serving: Dictionary(
        files.map { ($0, media.read($0) ?? []) } + (sealed.names ?? []).map { ($0, sealed.read($0) ?? []) },
        uniquingKeysWith: { first, _ in first }))
    let store = try TemporaryFolder()
    stage.show("\(DemoCase.placeholder) is \(server.origin) here, media are stored in \(store.path)\n")
    stage.show(DemoRow.heading)
    var cases = try Self.cases(in: names).map { try DemoCase($0, in: payloads, origin: server.origin) }
    if let encrypted {
      cases += try Self.cases(in: encrypted.folder.names ?? []).map {
        try DemoCase($0, in: encrypted.folder, origin: server.origin) { try encrypted.payload(of: $0) }
      }
    }
    let keys = encrypted.map { ["--keys", $0.keys] } ?? []
    let results = try await DemoWork(
      folder: store.path, arguments: ["--allow-port", "\(server.port)"] + keys, stage: stage
    ).run(cases.map(\.sent))
    var failures = 0
    for demoCase in cases {
      let result = results[demoCase.sent.name]
      let difference = result.map { demoCase.difference(from: $0, media: media) } ?? "nothing was published"
      stage.show(DemoRow(demoCase.sent.name, result, difference: difference).text)
      failures += difference == nil ? 0 : 1
    }
    try await server.stop()
    stage.show("\n\(cases.count - failures) of \(cases.count) payloads came out as they should")
    return failures
  }

  private static func cases(in names: [String]) -> [String] {
    names.filter { $0.hasSuffix(".expected.json") }.map { String($0.dropLast(".expected.json".count)) }
  }
}

/// One line of the table.
private struct DemoRow {
  static let heading = text("payload", "outcome", "time", "what is attached, or the reason")

  let text: String

  init(_ name: String, _ result: Message?, difference: String?) {
    let story =
      result?.header(ResultHeader.reason) ?? result.map(Self.types)?.joined(separator: ", ") ?? ""
    text = Self.text(
      name, result?.header(ResultHeader.outcome) ?? "lost",
      result?.header(ResultHeader.elapsed).map { "\($0) ms" } ?? "",
      story + (difference.map { "  WRONG: \($0)" } ?? ""))
  }

  /// The uniform type identifier of each attachment.
  private static func types(_ result: Message) -> [String] {
    let document = try? JSONDocument(result.body)
    return DemoCase.attachments(in: document?.root["attachments"]).map { $0["type"]?.string ?? "?" }
  }

  private static func text(_ name: String, _ outcome: String, _ time: String, _ story: String) -> String {
    name.padded(to: 25) + outcome.padded(to: 12) + time.padded(to: 8) + story
  }
}
