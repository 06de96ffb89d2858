import Enriching
import Fetching
import Glibc
import Logging
import Misbehaving
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Working

/// `--when-store-fails wait` with lines, which cannot be given back.
@Suite("Waiting for the store at lines", .timeLimit(.minutes(5)))
struct StoreWaitLineTests {
  @Test("lines that were read go out unmodified and in order, and no more are read until the store is back")
  func order() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let url = server.url(.serve(.file("photo.jpg", "image/jpeg")))
        let lines = (0..<200).map {
          #"{"n":\#($0),"aps":{"alert":"Hello","mutable-content":1},"media":"\#(url)"}"#
        }
        let store = folder.path(of: "store")
        #expect(unsafe mkdir(store, 0o755) == 0)
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        let output = unsafe open(try folder.write([], to: "out"), O_WRONLY)
        defer { for file in [ends[0], output] { close(file) } }
        func send(_ lines: ArraySlice<String>) {
          #expect(FileBytes.write(Array(lines.map { "\($0)\n" }.joined().utf8), to: ends[1]))
        }
        let queue = LineQueue(input: ends[0], output: output)
        let status = WorkStatus()
        let worker = Worker(
          enricher: try Enricher(settings: settings(reaching: server, store: store)),
          from: queue, to: queue, deadLetters: queue, settings: workSettings,
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }), status: status)
        func results() throws -> [Substring] {
          String(decoding: try Files.read(folder.path(of: "out")), as: UTF8.self).split(separator: "\n")
        }
        let work = Task { try await worker.run() }
        send(lines[..<5])
        #expect(try await eventually { try results().count == 5 })
        #expect(unsafe rename(store, "\(store)-away") == 0)
        send(lines[5...])
        close(ends[1])
        #expect(await eventually { status.isWaitingForStore })
        #expect(try await eventually { try results().count >= 8 })
        // Waits until all lines that were read are out. If the worker read on, that would be all lines.
        var end = 0
        while case let count = try results().count, count != end {
          end = count
          try await Task.sleep(for: .seconds(2))
        }
        #expect((8..<100).contains(end))
        #expect(unsafe rename("\(store)-away", store) == 0)
        try await work.value
        let all = try results()
        #expect(all[5..<end] == lines[5..<end].map { Substring($0) }[...])
        #expect(all.count == lines.count)
        for (index, (result, line)) in zip(all, lines).enumerated() where !(5..<end).contains(index) {
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
