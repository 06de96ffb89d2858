import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// A worker with a door that is open.
struct RunningDoor: Sendable {

  let place: Workplace
  let daemon: Daemon
  let url: String

  var port: String { String(url.split(separator: ":")[2].prefix { $0.isNumber }) }

  /// A payload with a photo that the server sends, at once or when the test opens `latch`.
  func photo(heldBy latch: Latch? = nil) -> String {
    let photo = Behaviour.serve(.file("photo.jpg", "image/jpeg"))
    return payload(naming: place.server.url(latch.map { .held(by: $0, photo) } ?? photo))
  }

  func payload(naming url: String) -> String {
    String(decoding: Errand(0, naming: url, .unanswered).message.body, as: UTF8.self)
  }

  /// The head and the body of the answer, as curl shows them.
  func post(_ body: String, _ options: String...) async throws -> String {
    try await Command("curl").run(
      ["-q", "-sSi", "--noproxy", "*", "--data-binary", "@-", url] + options, input: Array(body.utf8)
    ).output
  }

  /// Runs a client in Python. Its arguments are the port and `words`.
  /// - Returns: the lines that it prints.
  func python(_ script: String, _ words: String...) async throws -> [String] {
    let run = try await Command("/usr/bin/python3").run(
      ["-c", script, port] + words, environment: ["no_proxy": "*"], limit: .seconds(120))
    #expect(run.exitStatus == 0, "\(run.standardError)\(daemon.output)")
    return run.output.split(separator: "\n").map { String($0) }
  }

  /// The address of its status pages, if it was started with `--status 127.0.0.1:0`.
  var statusOrigin: String {
    get throws {
      let said = #/"the status is served","address":"([^"]+)"/#
      return "http://\(try #require(daemon.output.firstMatch(of: said)).output.1)"
    }
  }

  func metrics() async throws -> String { try await fetch(statusOrigin, "/metrics") }

  /// Open files and sockets of the worker.
  func descriptors() throws -> Int {
    Files.names(in: "/proc/\(try #require(daemon.pid))/fd").count
  }

  func signal(_ number: Int32) throws {
    let pid = try #require(daemon.pid)
    #expect(kill(pid, number) == 0)
  }
}

/// Runs `body` with a door on a free loopback port. There is no `--to` unless `more` has one.
func withDoor(_ more: [String] = [], _ body: (RunningDoor) async throws -> Void) async throws {
  try await withWorkplace(.sqlite) { place in
    let options = place.options.filter { !$0.hasPrefix("sqlite:") && $0 != "--dead-letters" }
    let daemon = Daemon(
      PushEnricher.path, ["work", "--from", "http://127.0.0.1:0"] + options + more, name: "door",
      in: place.folder)
    let said = #/"the door is open","address":"([^"]+)"/#
    #expect(try await daemon.wait { $0.contains(said) }, "\(daemon.output)")
    let address = try #require(daemon.output.firstMatch(of: said)).output.1
    do {
      try await body(
        RunningDoor(place: place, daemon: daemon, url: "http://\(address)/v1/enrich"))
    } catch {
      try await daemon.kill()
      throw error
    }
    try await daemon.kill()
  }
}
