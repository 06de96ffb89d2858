/// A real SeaweedFS on loopback with an empty bucket `media`. It keeps objects on the disk, and verifies
/// signatures, but neither their region nor the digest of the body: `S3Server` does. Made by
/// `withSeaweedServer`, or shared by all tests of a process.
package actor SeaweedServer: MortalServer {
  /// The server did not start. Its log may say why.
  package struct DidNotStart: Error, Equatable { package let log: String }

  /// Where the README's test command installs it.
  private static let program = "\(Fixtures.root)/.build/python/bin/weed"
  package static let account = S3Account(accessKey: "AKIATEST", secretKey: "secret+of/the=tests")

  package nonisolated let port: Int
  package nonisolated let folder: TemporaryDirectory
  private let ports: [Int]
  private let arguments: [String]
  /// Nil while it is stopped.
  private var daemon: Daemon?
  private var starts = 1

  private init(ports: [Int], arguments: [String], folder: TemporaryDirectory, daemon: Daemon) {
    port = ports[0]
    self.ports = ports
    self.arguments = arguments
    self.folder = folder
    self.daemon = daemon
  }

  package nonisolated var endpoint: String { "http://127.0.0.1:\(port)" }

  /// A client that may do anything.
  package nonisolated var curl: S3Curl { S3Curl(endpoint, as: Self.account) }

  /// - Throws: `DidNotStart`, also if it is not installed.
  static func start(in folder: TemporaryDirectory) async throws -> SeaweedServer {
    guard Files.exists(program) else {
      throw DidNotStart(log: "\(program) is missing: README's test command installs it, with pip")
    }
    let identity =
      #"{"name":"tests","actions":["Admin","Read","Write","List"],"credentials":[{"accessKey":""#
      + "\(account.accessKey)\",\"secretKey\":\"\(account.secretKey)\"}]}"
    let configuration = try folder.write(Array("{\"identities\":[\(identity)]}".utf8), to: "s3.json")
    var log = ""
    // A port that was free may be taken by the time the server binds it.
    for _ in 0..<4 {
      let ports = freePorts(8)
      let arguments = arguments(ports, configuration, in: folder)
      let daemon = Daemon(program, arguments, name: "seaweed-0", in: folder)
      let server = SeaweedServer(ports: ports, arguments: arguments, folder: folder, daemon: daemon)
      if try await server.isReady(daemon) { return server }
      log = daemon.output
      try await server.kill()
    }
    throw DidNotStart(log: log)
  }

  /// Ends it at once, like a power cut.
  package func kill() async throws {
    let daemon = daemon
    self.daemon = nil
    try await daemon?.kill()
    // SeaweedFS makes these sockets besides `-filer.localSocket`, and their paths cannot be set.
    for (kind, port) in zip(["s3", "master", "volume", "filer"], ports.suffix(4)) {
      Files.remove("/tmp/seaweedfs-\(kind)-grpc-\(port).sock")
    }
  }

  /// Brings it back under the same URL and with the same objects.
  package func restart() async throws {
    let daemon = Daemon(Self.program, arguments, name: "seaweed-\(starts)", in: folder)
    self.daemon = daemon
    starts += 1
    guard try await isReady(daemon) else { throw DidNotStart(log: daemon.output) }
  }

  /// Its process id; nil while it is stopped.
  package var pid: Int32? { daemon?.pid }

  /// The server listens before it can keep objects, so it counts as ready when it has kept one.
  private func isReady(_ daemon: Daemon) async throws -> Bool {
    try await eventually {
      if daemon.hasEnded { return true }
      guard daemon.output.contains("Start Seaweed S3 API Server") else { return false }
      let bucket = try await curl.ask("media", ["-X", "PUT"]).output
      guard bucket.hasSuffix("\n200") || bucket.hasSuffix("\n409") else { return false }
      let probe = try await curl.ask("media/probe", body: "probe").output
      guard probe.hasSuffix("\n200") else { return false }
      return try await curl.ask("media/probe", ["-X", "DELETE"]).exitStatus == 0
    } && !daemon.hasEnded
  }

  private static func arguments(
    _ ports: [Int], _ configuration: String, in folder: TemporaryDirectory
  ) -> [String] {
    let names = ["s3.port", "master.port", "volume.port", "filer.port"]
    let allNames = names + names.map { "\($0).grpc" }
    return ["server", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"]
      + zip(allNames, ports).map { "-\($0)=\($1)" } + [
        "-s3.config=\(configuration)", "-s3.port.iceberg=0", "-s3.port.lance=0",
        "-s3.localSocket=\(folder.path(of: "s3.sock"))",
        "-filer.localSocket=\(folder.path(of: "filer.sock"))",
        // Without this, the server would report to its makers that it runs.
        "-master.telemetry=false",
        // As many volumes as the disk has room for, each a small file.
        "-master.volumeSizeLimitMB=64", "-volume.max=0",
      ]
  }
}

extension SeaweedServer {
  private static let sharing = SharedServer { try await start(in: TemporaryDirectory.make()) }

  /// The server of this test process. Each test uses keys of its own.
  package static func shared() async throws -> SeaweedServer { try await sharing.server() }
}

/// Runs `body` with a server of its own, and stops it however `body` ends.
package func withSeaweedServer<Result: Sendable>(
  _ body: (SeaweedServer) async throws -> Result
) async throws -> Result {
  try await withServer({ try await SeaweedServer.start(in: $0) }, body)
}
