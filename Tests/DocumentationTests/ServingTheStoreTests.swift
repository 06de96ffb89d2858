import Notifications
import Sniffing
import TestSupport
import Testing

/// Runs the web server of the Compose file in the article Deploying.
@Suite("Serving the store", .timeLimit(.minutes(5)))
struct ServingTheStoreTests {
  /// One name of the store for each extension, with the type that it is served as.
  private static let types =
    Dictionary(
      uniqueKeysWithValues: MediaFormat.allCases.map { ($0.filenameExtension, $0.mimeTypes) }
    )
    .merging(["json": ["application/json"], "html": ["application/octet-stream"]]) { $1 }

  @Test("the Compose file's nginx reads the store as its owner, and writes nothing") func service()
    async throws
  {
    let web = try #require(try await Self.compose().at("services.web"))
    let enricher = try #require(try await Self.compose().at("services.enricher"))
    #expect(web.list(at: "volumes") == enricher.list(at: "volumes").map { "\($0):ro" })
    #expect(web.text(at: "user") == "65532:65532")
    #expect(web.at("read_only")?.spelling == "true")
    for setting in ["cap_drop", "security_opt"] {
      #expect(web.list(at: setting) == enricher.list(at: setting))
    }
    #expect(web.text(at: "configs.0.target") == "/etc/nginx/conf.d/default.conf")
  }

  @Test("it serves each file by its extension, but not the cache, forbids guessing, and runs no script")
  func headers() async throws {
    try await withStore { origin in
      for (suffix, types) in Self.types.sorted(by: { $0.key < $1.key }) {
        let answer = try await Self.ask("\(origin)/file.\(suffix)")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(suffix)")
        #expect(types.contains { answer.contains("\r\nContent-Type: \($0)\r\n") }, "\(suffix): \(answer)")
        expectHeaders(answer)
        #expect(answer.hasSuffix("<script>"))
      }
      for (arguments, status) in [(["-X", "POST"], 403), (["-X", "PUT"], 403), (["-X", "DELETE"], 403)] {
        let answer = try await Self.ask("\(origin)/file.jpg", arguments)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(arguments)")
        expectHeaders(answer)
      }
      let missing = try await Self.ask("\(origin)/missing.jpg")
      #expect(missing.hasPrefix("HTTP/1.1 404 "))
      expectHeaders(missing)
      let cache = try await Self.ask("\(origin)/.push-enricher-cache")
      #expect(cache.hasPrefix("HTTP/1.1 404 "))
      expectHeaders(cache)
    }
  }

  private func expectHeaders(_ answer: String) {
    #expect(answer.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
    #expect(answer.contains("\r\nContent-Security-Policy: sandbox; default-src 'none'\r\n"))
  }

  private static func compose() async throws -> JSONValue {
    try await YAML.read(try DeployingTests().text(with: "services:")).root
  }

  private static func ask(_ url: String, _ options: [String] = []) async throws -> String {
    try await Command("curl").run(["-q", "-sS", "-i", "--noproxy", "*"] + options + [url]).output
  }

  /// Runs nginx with the configuration of the article, and with files in its root.
  private func withStore(_ body: (_ origin: String) async throws -> Void) async throws {
    let site = try #require(try await Self.compose().text(at: "configs.web.content"))
    try #require(site.contains("listen 8080;") && site.contains("root /data/attachments;"))
    try await withTemporaryDirectory { folder in
      for suffix in Self.types.keys { try folder.write(Array("<script>".utf8), to: "file.\(suffix)") }
      try folder.write(Array("push".utf8), to: ".push-enricher-cache")
      let port = freePorts(1)[0]
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
      let text = """
        daemon off; master_process off; pid \(folder.path)/nginx.pid; events {}
        http {
          access_log off; \(temporary)
          \(site.replacing("listen 8080;", with: "listen 127.0.0.1:\(port);")
            .replacing("/data/attachments;", with: "\(folder.path);"))
        }

        """
      let file = try folder.write(Array(text.utf8), to: "nginx.conf")
      let nginx = Daemon(
        "nginx", ["-c", file, "-e", "stderr", "-p", folder.path], name: "nginx", in: folder)
      let origin = "http://127.0.0.1:\(port)"
      #expect(
        try await eventually { try await Self.ask("\(origin)/file.jpg").hasPrefix("HTTP/") || nginx.hasEnded }
      )
      #expect(!nginx.hasEnded, "\(nginx.output)")
      try await body(origin)
      try await nginx.kill()
    }
  }
}
