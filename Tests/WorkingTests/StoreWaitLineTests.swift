import Enriching
import Fetching
import Glibc
import Logging
import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Working

/// `--when-store-fails wait` with lines, which nobody takes back.
@Suite("Waiting for the store at lines", .timeLimit(.minutes(2)))
struct StoreWaitLineTests {
  @Test("what was read goes out unmodified, in order, and no more is read until the store is back")
  func order() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let url = server.url(.serve(.file("photo.jpg", "image/jpeg")))
        let lines = (0..<200).map {
          #"{"n":\#($0),"aps":{"alert":"Hello","mutable-content":1},"media":"\#(url)"}"#
        }
        let input = unsafe open(
          try folder.write(Array(lines.map { "\($0)\n" }.joined().utf8), to: "in"), O_RDONLY)
        let output = unsafe open(try folder.write([], to: "out"), O_WRONLY)
        defer { for file in [input, output] { close(file) } }
        let queue = LineQueue(input: input, output: output)
        let status = WorkStatus()
        let worker = Worker(
          enricher: try Enricher(settings: settings(reaching: server, store: folder.path(of: "store"))),
          from: queue, to: queue, deadLetters: queue, settings: workSettings,
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }), status: status)
        func results() throws -> [Substring] {
          String(decoding: try Files.read(folder.path(of: "out")), as: UTF8.self).split(separator: "\n")
        }
        let work = Task { try await worker.run() }
        #expect(await eventually { status.isWaitingForStore })
        try await Task.sleep(for: .seconds(2))
        let count = try results().count
        try await Task.sleep(for: .seconds(2))
        #expect(try results().count == count)
        #expect((3..<100).contains(count))
        #expect(unsafe mkdir(folder.path(of: "store"), 0o755) == 0)
        try await work.value
        let all = try results()
        #expect(all[..<count] == lines[..<count].map { Substring($0) }[...])
        #expect(all.count == lines.count)
        for (result, line) in zip(all, lines).dropFirst(count) {
          #expect(result.hasPrefix(line.dropLast()) && result.contains(#","attachments":[{"#))
        }
      }
    }
  }

  private var workSettings: WorkSettings {
    var settings = WorkSettings()
    settings.waitsForStore = true
    settings.concurrency = 2
    return settings
  }

  private func settings(reaching server: HostileServer, store: String) throws -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.allowsHTTP = true
    settings.fetching.allowedPorts = [server.port]
    settings.fetching.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
    settings.store = store
    settings.makesStore = false
    settings.publicURL = "https://cdn.example"
    settings.memory = .max
    settings.concurrency = 2
    return settings
  }
}
