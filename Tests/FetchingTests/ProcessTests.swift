import Fetching
import Glibc
import Misbehaving
import TestSupport
import Testing

/// What concerns the whole process. Each test runs in a process of its own.
@Suite("The process of a fetcher", .timeLimit(.minutes(5)))
struct ProcessTests {
  @Test("proxies in the environment are not used")
  func proxies() async {
    await #expect(processExitsWith: .success) {
      try await withHostileServer { server in
        try await withHostileServer { proxy in
          for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            unsafe setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
          }
          let fetch = try await server.fetch(server.url(.serve(Response(.bytes([1]), as: "image/png"))))
          #expect(fetch.body == [1])
          #expect(proxy.connections == 0)
        }
      }
    }
  }

  @Test("descriptors and threads do not grow with the number of fetches")
  func resources() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let authority = try folder.write(Array("-----BEGIN CERTIFICATE-----\n".utf8), to: "authority.pem")
        try await withHostileServer { server in
          try await withNameServer(["silent.example": .silence]) { names in
            let urls = [
              server.url(.serve(Response(.bytes([1]), as: "image/png"))), server.url(.serve(.notFoundPage)),
              server.url(.silent), server.url(.garbage), server.url(.endlessHeaders),
              server.url(.silent, host: "silent.example"), server.url(.silent, host: "none.example"),
              server.stallingTLSURL(), "http://10.0.0.1:\(server.port)/", "ftp://x/",
            ]
            let useOne = {
              let fetcher = try server.fetcher {
                $0.nameServers = names.address
                $0.certificateFile = authority
              }
              await withTaskGroup(of: Void.self) { group in
                for url in urls { group.addTask { _ = await fetcher.get(url, within: .milliseconds(100)) } }
              }
            }
            // The first fetches set up what the process keeps: libcurl, OpenSSL, the thread pools.
            for _ in 0..<2 { try await useOne() }
            #expect(await eventually { server.openConnections == 0 })
            let descriptors = Files.names(in: "/proc/self/fd").count
            let threads = Files.names(in: "/proc/self/task").count
            for _ in 0..<10 { try await useOne() }
            // A leak with each fetcher or fetch would be more than the few descriptors that a pool
            // or an event loop may have opened since.
            #expect(await eventually { Files.names(in: "/proc/self/fd").count <= descriptors + 4 })
            #expect(await eventually { Files.names(in: "/proc/self/task").count <= threads + 4 })
          }
        }
      }
    }
  }

  @Test("1,000 lookups without an answer use no threads, and leave nothing behind")
  func lookups() async {
    await #expect(processExitsWith: .success) {
      let hosts = (0..<1_000).map { "silent-\($0).example" }
      var answers = Dictionary(uniqueKeysWithValues: hosts.map { ($0, NameAnswer.silence) })
      answers["good.example"] = .addresses(["127.0.0.2"])
      try await withNameServer(answers) { names in
        var settings = FetchSettings()
        settings.nameServers = names.address
        let fetcher = try Fetcher(settings: settings)
        let blocked = FetchError.addressBlocked(address: "127.0.0.2", purpose: "loopback")
        #expect(await fetcher.get("https://good.example/").failure == blocked)
        let descriptors = Files.names(in: "/proc/self/fd").count
        let threads = Files.names(in: "/proc/self/task").count
        let tasks = hosts.map { host in Task { await fetcher.get("https://\(host)/") } }
        #expect(await eventually { names.queries >= 100 })
        #expect(Files.names(in: "/proc/self/task").count <= threads + 8)
        // One socket for each of the 16 lookups at once.
        #expect(Files.names(in: "/proc/self/fd").count <= descriptors + 16 + 4)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value.failure == .cancelled) }
        #expect(await eventually { Files.names(in: "/proc/self/fd").count <= descriptors + 2 })
        #expect(await fetcher.get("https://good.example/").failure == blocked)
      }
    }
  }
}
