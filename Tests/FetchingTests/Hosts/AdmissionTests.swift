import Misbehaving
import TestSupport
import Testing

@testable import Fetching

extension PayloadTurn {
  /// A turn of a payload that cannot go back to its queue.
  static var fixed: PayloadTurn { PayloadTurn(mayGoBack: false) }
}

extension Admission.Intake {
  static let many = Self.ahead(upTo: 9, size: 100, mayReturn: true)
}

@Suite("Admission")
struct AdmissionTests {
  @Test("more payloads are accepted once all names have been tried") func newcomers() async {
    let admission = Admission(limits: .small)
    #expect(admission.takeNow(.many).count == 9)
    admission.tick(hasNewNames: true)
    #expect(admission.takeNow(.many).isEmpty)
    let opening = Task { await admission.take(.many).count }
    while !admission.tick(hasNewNames: true) { await Task.yield() }
    admission.tick(hasNewNames: true)
    admission.tick(hasNewNames: false)
    #expect(await opening.value == 9)
  }

  @Test("a cancelled task does not wait for capacity", .timeLimit(.minutes(5))) func cancelled() async {
    let admission = Admission(limits: .small)
    admission.tick(hasNewNames: true)
    let opening = Task { await admission.take(.many).count }
    while !admission.tick(hasNewNames: true) { await Task.yield() }
    opening.cancel()
    #expect(await opening.value == 0)
    #expect(!admission.tick(hasNewNames: true))
  }

  @Test("no more payloads are accepted while untried names wait", .timeLimit(.minutes(5)))
  func silentNames() async throws {
    let hosts = (0..<320).map { "silent-\($0).example" }
    try await withNameServer(Dictionary(uniqueKeysWithValues: hosts.map { ($0, .silence) })) { names in
      var settings = FetchSettings()
      settings.nameServers = names.address
      settings.hosts = HostLimits()
      let fetcher = try Fetcher(settings: settings)
      func takesMore() -> Bool { !fetcher.admission.takeNow(.many).isEmpty }
      #expect(takesMore())
      await withTaskGroup(of: Void.self) { group in
        for host in hosts {
          group.addTask { _ = await fetcher.get("https://\(host)/") }
        }
        // 16 names are tried at a time, for half a second each.
        while takesMore() { await Task.yield() }
        group.cancelAll()
        #expect(await !fetcher.admission.take(.many).isEmpty)
      }
      #expect(takesMore())
    }
  }

  @Test("a URL that is refused anyway does not wait for a permit") func refusedURLs() async throws {
    var settings = FetchSettings()
    settings.hosts = HostLimits()
    let fetcher = try Fetcher(settings: settings)
    let url = try RemoteURL("http://media.example/")
    await #expect(throws: FetchError.schemeNotAllowed("http")) {
      _ = try await fetcher.permit(for: url, journal: FetchJournal(), bytes: 0, turn: .fixed)
    }
  }

  @Test("a host that is refused gets no permit, and the journal says why") func refused() async throws {
    var limits = HostLimits.small
    limits.firstPause = .seconds(3_600)
    var settings = FetchSettings()
    settings.hosts = limits
    let fetcher = try Fetcher(settings: settings)
    let admission = fetcher.admission
    let url = try RemoteURL("https://dead.example/photo.jpg")
    for _ in 0..<limits.maximumFailures {
      let permit = try await admission.permit(for: PermitRequest(url, bytes: 0, turn: .fixed)) {}.get()
      _ = permit.begin(url, until: .now + .seconds(30)) {}.end(
        .connectFailed(detail: "", isTransient: true), wasRequestSent: false)
    }
    let journal = FetchJournal()
    let error = await #expect(throws: FetchError.self) {
      _ = try await fetcher.permit(for: url, journal: journal, bytes: 0, turn: .fixed)
    }
    guard case .hostUnhealthy("dead.example", .outage) = error else {
      Issue.record("the error is not about an outage: \(String(describing: error))")
      return
    }
    #expect(journal.snapshot.hops == [Hop(url: url.text, attempt: 1, error: error)])
  }

  @Test("a transfer whose permit is dropped counts as ended") func forgotten() async throws {
    let admission = Admission(limits: .small)
    let url = try RemoteURL("https://media.example/")
    let permit = try await admission.permit(for: PermitRequest(url, bytes: 0, turn: .fixed)) {}.get()
    let transfer = permit.begin(url, until: .now + .seconds(30)) {}
    #expect(admission.tick(hasNewNames: false))
    _ = consume transfer
    #expect(!admission.tick(hasNewNames: false))
  }

  @Test("hosts that hang make room for others", .timeLimit(.minutes(5))) func room() async throws {
    try await withHostileServer { first in
      try await withHostileServer { second in
        try await withHostileServer { third in
          let fetcher = try first.fetcher {
            $0.allowedPorts = [first.port, second.port, third.port]
            // Two downloads for hosts that have not delivered yet.
            $0.hosts = .small
            $0.hosts?.transfers = 4
            $0.hosts?.answerTimeout = .seconds(1)
          }
          await withTaskGroup(of: FetchError?.self) { group in
            for server in [first, second, third] {
              group.addTask { try? await Self.failure(of: server.url(.silent), from: fetcher) }
            }
            var failures: [FetchError?] = []
            for await failure in group {
              failures.append(failure)
              // One has made room. The others would hang until their deadline.
              group.cancelAll()
            }
            let isOverdue = failures.map { if case .hostUnhealthy(_, .overdue) = $0 { true } else { false } }
            // On a busy machine, others can be late, too.
            let overdue = isOverdue.count { $0 }
            #expect(overdue >= 1)
            #expect(failures.count { $0 == .cancelled } == 3 - overdue)
          }
        }
      }
    }
  }

  private static func failure(of url: String, from fetcher: Fetcher) async throws -> FetchError? {
    let (url, sink) = (try RemoteURL(url), Sink())
    do throws(FetchError) {
      let permit = try await fetcher.permit(for: url, journal: sink.journal, bytes: 0, turn: .fixed)
      _ = try await fetcher.fetch(
        url, until: .now + .seconds(120), into: sink, journal: sink.journal, permit: permit)
      return nil
    } catch {
      return error
    }
  }
}
