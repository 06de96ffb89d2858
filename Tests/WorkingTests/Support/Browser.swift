import Notifications
import TestSupport

/// A real browser, Chromium without a window, with one page open. It is controlled through a pair
/// of pipes with the DevTools protocol (chromedevtools.github.io/devtools-protocol), and ends with
/// the test process.
struct Browser: Sendable {
  /// The browser did not do something, or did it too late.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let line: DevToolsLine
  private var session: String?

  /// Runs `body` with a browser, and ends it however `body` ends.
  static func run(_ body: (Browser) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let line = try DevToolsLine(folder)
      let daemon = Daemon(
        "sh",
        ["-c", #"exec "$@" 3<"$0/commands" 4>"$0/messages""#, folder.path]
          + command(profile: folder.path(of: "profile")),
        // Chromium writes into its home in any case.
        environment: ["HOME": folder.path], name: "chromium", in: folder)
      do {
        try await body(try await Browser(line))
      } catch let error as Failure {
        try await daemon.kill()
        throw Failure(description: "\(error); the browser says: \(daemon.output.suffix(2_000))")
      } catch {
        try await daemon.kill()
        throw error
      }
      try await daemon.kill()
    }
  }

  /// The browser looks up no names and asks no other machine. By default it would do so on its own.
  private static func command(profile: String) -> [String] {
    [
      "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-background-networking", "--disable-breakpad", "--disable-component-update",
      "--disable-extensions",
      "--disable-sync", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
      "--user-data-dir=\(profile)", "--remote-debugging-pipe", "about:blank",
    ]
  }

  private init(_ line: DevToolsLine) async throws {
    self.line = line
    let target = try await ask("Target.createTarget", #"{"url":"about:blank"}"#)
    let id = target.root.text(at: "result.targetId") ?? ""
    let attached = try await ask("Target.attachToTarget", #"{"targetId":"\#(id)","flatten":true}"#)
    session = attached.root.text(at: "result.sessionId")
    for domain in ["Network", "Runtime", "Log", "Page"] { try await ask("\(domain).enable") }
  }

  func open(_ url: String) async throws { try await ask("Page.navigate", #"{"url":"\#(url)"}"#) }

  /// Emulates a screen of this width in points, and a preference for a dark or light scheme.
  func emulate(width: Int, isDark: Bool) async throws {
    try await ask(
      "Emulation.setDeviceMetricsOverride",
      #"{"width":\#(width),"height":800,"deviceScaleFactor":1,"mobile":false}"#)
    try await ask(
      "Emulation.setEmulatedMedia",
      #"{"features":[{"name":"prefers-color-scheme","value":"\#(isDark ? "dark" : "light")"}]}"#)
  }

  /// The value of a JavaScript expression in the page, as text.
  func value(of expression: String) async throws -> String {
    var writer = JSONWriter()
    writer.object {
      $0.member("expression", "String(\(expression))")
      $0.member("returnByValue", true)
    }
    let answer = try await ask("Runtime.evaluate", String(decoding: writer.bytes, as: UTF8.self))
    return answer.root.text(at: "result.result.value") ?? answer.root.spelling
  }

  /// Waits a few minutes until the page shows what is expected. Pages, and browsers on busy
  /// machines, take that long.
  func shows(_ expected: String, in expression: String) async throws -> Bool {
    for _ in 0..<3 where try await eventually({ try await value(of: expression) == expected }) { return true }
    return false
  }

  /// The texts at `path` in all events of this kind so far.
  func seen(_ event: String, _ path: String) -> [String] {
    line.events.filter { $0.root.text(at: "method") == event }.map {
      $0.root.text(at: path) ?? $0.root.spelling
    }
  }

  @discardableResult
  private func ask(_ method: String, _ parameters: String = "{}") async throws -> JSONDocument {
    let address = session.map { #","sessionId":"\#($0)""# } ?? ""
    let number = line.send { #"{"id":\#($0),"method":"\#(method)","params":\#(parameters)\#(address)}"# }
    // Longer than a browser takes to start on a busy machine.
    for _ in 0..<3 {
      guard await eventually({ line.hasAnswer(to: number) }), let answer = line.takeAnswer(to: number) else {
        continue
      }
      if let message = answer.root.at("error.message") {
        throw Failure(description: "\(method): \(message.spelling)")
      }
      return answer
    }
    throw Failure(description: "\(method) has no answer")
  }
}
