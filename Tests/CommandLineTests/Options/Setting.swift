import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

/// An option that can be set in all three sources, with a payload that shows its effect.
struct Setting: Sendable, CustomTestStringConvertible {
  let name: String
  let isFlag: Bool
  let value: @Sendable (Scene) -> String
  let payload: @Sendable (Scene) -> [UInt8]
  /// Whether the option has had its effect, which no other option has.
  let shows: @Sendable (Enriched, Scene) -> Bool

  var testDescription: String { name }

  init(
    _ name: String, isFlag: Bool = false, _ value: @escaping @Sendable (Scene) -> String,
    on payload: @escaping @Sendable (Scene) -> [UInt8] = { Push.naming($0.photo) },
    shows: @escaping @Sendable (Enriched, Scene) -> Bool
  ) {
    self.name = name
    self.isFlag = isFlag
    self.value = value
    self.payload = payload
    self.shows = shows
  }

  /// The servers and folders for one run.
  struct Scene: Sendable {
    let server: HostileServer
    let names: NameServer
    let nginx: NginxServer
    /// An empty folder.
    let folder: TemporaryDirectory

    var photo: String { server.url(.serve(.photo)) }
  }

  static let all: [Setting] = [
    Setting("store", { $0.folder.path }) { enriched, scene in
      enriched.stored == [] && scene.folder.names.contains { $0.hasSuffix(".jpg") }
    },
    Setting("public-url", { _ in "https://pictures.example" }) { enriched, _ in
      enriched.run.output.contains(#""url":"https://pictures.example/"#)
    },
    Setting("deadline", { _ in "0.01ms" }) { enriched, _ in enriched.reason == "deadline-exceeded" },
    Setting("memory", { _ in "1MB" }) { enriched, _ in enriched.reason == "memory-exceeded" },
    Setting("concurrency", { _ in "1" }, on: { Push.naming($0.late(1), $0.late(2)) }) { enriched, scene in
      // With one download at a time, both use the same connection.
      enriched.outcome == "enriched" && scene.server.connections == 1
    },
    Setting("allow-network", { _ in "127.0.0.0/8" }) { enriched, _ in enriched.outcome == "enriched" },
    Setting("deny-network", { _ in "127.0.0.0/16" }) { enriched, _ in
      enriched.reason == "address-blocked" && enriched.line.contains("127.0.0.1 is in 127.0.0.0/16, which")
    },
    Setting(
      "allow-downgrade", isFlag: true, { _ in "true" },
      on: { Push.naming("\($0.nginx.httpsOrigin)/downgrade/photo.jpg") }
    ) { enriched, _ in
      enriched.outcome == "enriched"
    },
    Setting("allow-http", isFlag: true, { _ in "true" }) { enriched, _ in enriched.outcome == "enriched" },
    Setting(
      "max-redirects", { _ in "1" },
      on: { Push.naming($0.server.url(.redirectChain(hops: 2, then: .serve(.photo)))) }
    ) {
      enriched, _ in enriched.reason == "redirect-limit" && enriched.line.contains("more than 1 redirects")
    },
    Setting("user-agent", { _ in "acme-push/2.1 (ops@acme.example)" }) { _, scene in
      scene.server.requests(for: .serve(.photo)).first?.value(of: "User-Agent")
        == "acme-push/2.1 (ops@acme.example)"
    },
    Setting("allow-port", { "\($0.server.port)" }) { enriched, _ in enriched.outcome == "enriched" },
    Setting("media-key", { _ in "acme.hero" }, on: { Push.with(#""acme":{"hero":"\#($0.photo)"}"#) }) {
      enriched, _ in
      enriched.outcome == "enriched"
    },
    Setting(
      "keys", { (try? KeyFile.copy(into: $0.folder)) ?? "" }, on: { _ in Push.sealed }
    ) { enriched, _ in enriched.run.output == #"{"aps":{"alert":{"body":"Look!"},"mutable-content":1}}"# },
    Setting(
      "keys-dir",
      { scene in
        // Not in the folder of the configuration file: that file is JSON, but not a key file.
        let keys = scene.folder.path(of: "keys")
        _ = unsafe mkdir(keys, 0o700)
        _ = try? KeyFile.copy(into: scene.folder, as: "keys/keys.json")
        return keys
      }, on: { _ in Push.sealed }
    ) { enriched, _ in enriched.run.output == #"{"aps":{"alert":{"body":"Look!"},"mutable-content":1}}"# },
    Setting("ca-file", { $0.nginx.caFile }, on: { Push.naming("\($0.nginx.httpsOrigin)/photo.jpg") }) {
      enriched, _ in
      enriched.outcome == "enriched"
    },
    Setting(
      "name-servers", { $0.names.address },
      on: { Push.naming($0.server.url(.serve(.photo), host: "media.test")) }
    ) {
      enriched, scene in enriched.outcome == "enriched" && scene.names.queries(for: "media.test") > 0
    },
    Setting(
      "require-all", isFlag: true, { _ in "true" },
      on: { Push.naming($0.photo, $0.server.url(.serve(.notFoundPage))) }
    ) {
      enriched, _ in enriched.reason == "http-status" && enriched.run.exitStatus == 3
    },
    Setting("write", { _ in "in-place" }) { enriched, _ in
      enriched.run.output.hasSuffix(#""media":[{"url":"\#(publicURL)\#(enriched.stored.first ?? "")"}]}"#)
    },
    Setting("attachments-key", { _ in "pictures" }) { enriched, _ in
      enriched.run.output.contains(#","pictures":[{"#)
    },
    Setting(
      "categories",
      {
        let file = Array(#"{"MESSAGE": [{"identifier": "reply", "title": "Reply"}]}"#.utf8)
        return (try? $0.folder.write(file, to: "categories.json")) ?? ""
      }, on: { _ in Array(#"{"aps":{"alert":"Hello","category":"MESSAGE","mutable-content":1}}"#.utf8) }
    ) { enriched, _ in enriched.run.output.hasSuffix(#","actions":[{"identifier":"reply","title":"Reply"}]}"#)
    },
    Setting("cache", { _ in "16KiB" }) { enriched, _ in enriched.media.first?["cache"]?.string == "miss" },
    Setting("limits", { _ in "video=1MB,image=7kB" }) { enriched, _ in enriched.reason == "body-too-large" },
  ]
}

extension Setting.Scene {
  /// A photo that is late enough for a second one to be requested meanwhile.
  fileprivate func late(_ number: Int) -> String {
    server.url(.late(by: .milliseconds(500 + number), .serve(.photo)))
  }
}
