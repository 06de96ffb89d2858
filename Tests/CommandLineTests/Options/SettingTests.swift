import Misbehaving
import TestSupport
import Testing

@Suite("Options", .servedByNginx)
struct SettingTests {
  /// Where an option is set.
  enum Source: CaseIterable { case nowhere, commandLine, environment, file }

  @Test(
    "have their effect from each source, and no effect if they are not set", arguments: Setting.all,
    Source.allCases)
  func effect(setting: Setting, source: Source) async throws {
    try await withScene { scene in
      let options = Self.options(besides: setting.name, scene)
      let value = setting.value(scene)
      let payload = setting.payload(scene)
      let enriched =
        switch source {
        case .nowhere: try await enrich(payload, options)
        case .commandLine:
          try await enrich(
            payload, options + (setting.isFlag ? ["--\(setting.name)"] : ["--\(setting.name)", value]))
        case .environment:
          try await enrich(
            payload, options, environment: [Self.variable(setting.name): value],
            leavingOut: "--\(setting.name)")
        case .file:
          try await enrich(
            payload, options + ["--config", try Self.file(setting, value, in: scene.folder)],
            leavingOut: "--\(setting.name)")
        }
      #expect(setting.shows(enriched, scene) == (source != .nowhere), "\(enriched.run.standardError)")
    }
  }

  /// Options that allow everything, without the one under test.
  private static func options(besides name: String, _ scene: Setting.Scene) -> [String] {
    let ports = [scene.server.port, scene.nginx.httpPort, scene.nginx.httpsPort]
    let all: [(String, [String])] = [
      ("allow-http", ["--allow-http"]), ("allow-network", ["--allow-network", "127.0.0.0/8"]),
      ("allow-port", ports.flatMap { ["--allow-port", "\($0)"] }),
      ("ca-file", name == "allow-downgrade" ? ["--ca-file", scene.nginx.caFile] : []),
      // A lookup with the name servers of the system may take a while.
      ("deadline", name == "name-servers" ? ["--deadline", "10s"] : []),
    ]
    return all.filter { $0.0 != name }.flatMap(\.1)
  }

  private static func file(_ setting: Setting, _ value: String, in folder: TemporaryDirectory) throws
    -> String
  {
    let text = #"{"\#(setting.name)": \#(setting.isFlag ? value : "\"\(value)\"")}"#
    return try folder.write(Array(text.utf8), to: "config.json")
  }

  private static func variable(_ name: String) -> String {
    "PUSH_ENRICHER_" + name.uppercased().replacing("-", with: "_")
  }

  private func withScene(_ body: (Setting.Scene) async throws -> Void) async throws {
    let nginx = try #require(ServedByNginx.server)
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        try await withNameServer(["media.test": .addresses(["127.0.0.1"])]) { names in
          try await body(Setting.Scene(server: server, names: names, nginx: nginx, folder: folder))
        }
      }
    }
  }
}
