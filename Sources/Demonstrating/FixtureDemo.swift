internal import Queueing
internal import Serving

/// Runs every payload of the fixtures, with real media.
package struct FixtureDemo {
  private let folder: DemoFolder
  private let stage: DemoStage

  /// - Parameter fixtures: the folder with payloads and media; nil for the default one.
  /// - Throws: `DemoError` if the default folder is missing.
  package init(_ fixtures: String?, on stage: DemoStage) throws(DemoError) {
    guard let folder = fixtures.map({ DemoFolder(path: $0) }) ?? DemoFolder.fixtures() else {
      throw DemoError("there is no folder Fixtures here: run it in the checkout, or name one with --fixtures")
    }
    self.folder = folder
    self.stage = stage
  }

  /// - Returns: how many cases did not come out as they should.
  /// - Throws: `DemoError` if the folder holds no fixtures.
  package func run() async throws -> Int {
    let payloads = DemoFolder(path: "\(folder.path)/payloads")
    let media = DemoFolder(path: "\(folder.path)/media")
    guard let names = payloads.names, let files = media.names else {
      throw DemoError("\(folder.path) has no folders payloads and media: name another with --fixtures")
    }
    let home = try TemporaryFolder()
    let encrypted = try EncryptedCases(in: folder, home: home.path)
    let sealed = DemoFolder(path: "\(folder.path)/encrypted/media")
    let server = try await Self.serve(
      files.map { ($0, media.read($0) ?? []) } + (sealed.names ?? []).map { ($0, sealed.read($0) ?? []) })
    let origin = "http://\(server.endpoint)"
    let store = try TemporaryFolder()
    stage.show("\(DemoCase.placeholder) is \(origin) here, media are stored in \(store.path)\n")
    stage.show(DemoCase.heading)
    var cases = try Self.cases(in: names).map { try DemoCase($0, in: payloads, media: media, origin: origin) }
    let categories = DemoFolder(path: "\(folder.path)/categories")
    for folder in [DemoFolder(path: "\(folder.path)/envelopes"), categories] {
      cases += try Self.cases(in: folder.names ?? []).map {
        try DemoCase($0, in: folder, media: media, origin: origin)
      }
    }
    if let encrypted {
      cases += try Self.cases(in: encrypted.folder.names ?? []).map {
        try DemoCase(
          $0, in: encrypted.folder, media: media, origin: origin, sender: encrypted.payload)
      }
    }
    let keys = encrypted.map { ["--keys", $0.keys] } ?? []
    let actions = categories.names.map { _ in ["--categories", "\(categories.path)/categories.json"] } ?? []
    let results = try await DemoWork(
      folder: store.path, arguments: ["--allow-port", "\(server.endpoint.port)"] + keys + actions,
      stage: stage
    ).run(cases.map(\.sent))
    await server.stop()
    let answers = try await DemoPushes.send(cases.compactMap { results[$0.sent.name] })
    return stage.show(
      cases, results, answers: answers, more: Self.bothSides(cases, answers),
      asTheyShould: "payloads came out as they should")
  }

  /// What APNs has accepted, and one payload as it came in and as its device would get it.
  private static func bothSides(_ cases: [DemoCase], _ answers: [String: DemoPushes.Answer]) -> String {
    let accepted = answers.values.count { $0.status == 200 }
    let count =
      "\nA mock of APNs got the results, and accepted \(accepted) of them. The others are not payloads for APNs (–).\n"
    let example = cases.filter { row in
      answers[row.sent.name]?.received?.firstRange(of: Array(DemoCase.publicURL.utf8)) != nil
    }.min { $0.sent.bytes.count < $1.sent.bytes.count }
    guard let example, let received = answers[example.sent.name]?.received else { return count }
    return """
      \(count)
      The payload \(example.sent.name), as it came in:
      \(String(decoding: example.sent.bytes, as: UTF8.self).trimmingLineFeed)
      and as the device would get it:
      \(String(decoding: received, as: UTF8.self).trimmingLineFeed)

      """
  }

  private static func serve(_ files: [(name: String, bytes: [UInt8])]) async throws -> Server {
    var limits = ServerLimits()
    limits.connections = 256
    limits.idle = .seconds(60)
    limits.transfer = .seconds(60)
    return try await Server.start(
      at: Endpoint("127.0.0.1:0"),
      routes: files.map { name, bytes in Route("/\(name)") { _ in Response(bytes) } }, limits: limits)
  }

  private static func cases(in names: [String]) -> [String] {
    names.filter { $0.hasSuffix(".expected.json") }.map { String($0.dropLast(".expected.json".count)) }
  }
}

extension String {
  fileprivate var trimmingLineFeed: Substring { hasSuffix("\n") ? dropLast() : self[...] }
}
