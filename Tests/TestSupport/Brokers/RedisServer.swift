/// A real redis-server on loopback that writes everything to its disk before it confirms it. Made
/// by `withRedisServer`.
package actor RedisServer: MortalBroker, MortalServer {
  /// The server did not start. Its log may say why.
  package struct DidNotStart: Error, Equatable { package let log: String }

  /// How it differs from a server without a password and without TLS.
  package struct Options: Sendable {
    /// The password of the user `default`.
    package var password: String?
    /// Whether it speaks only TLS, with a certificate for `localhost` and `127.0.0.1`.
    package var isSecure = false
    /// More lines for redis.conf.
    package var lines: [String] = []

    package init() {}
  }

  package nonisolated let port: Int
  package nonisolated let folder: TemporaryDirectory
  /// The PEM file of the authority's certificate, for `--ca-file`; nil without TLS.
  package nonisolated let caFile: String?
  private let options: Options
  private let configuration: String
  /// Nil while it is stopped.
  private var daemon: Daemon?
  private var starts = 1

  /// - Throws: `DidNotStart`, or what `Command` throws if openssl fails.
  static func start(in folder: TemporaryDirectory, _ options: Options = Options()) async throws -> RedisServer
  {
    let certificates = options.isSecure ? try await Certificates(in: folder) : nil
    let configuration = folder.path(of: "redis.conf")
    var log = ""
    // A port that was free may be taken by the time the server binds it.
    for _ in 0..<4 {
      let port = freePort()
      try Files.write(
        Array(text(port: port, folder: folder, certificates: certificates, options).utf8), to: configuration)
      let daemon = Daemon("redis-server", [configuration], name: "redis-0", in: folder)
      if try await isReady(daemon) {
        return RedisServer(
          port: port, folder: folder, caFile: certificates?.authority.certificate, options: options,
          configuration: configuration, daemon: daemon)
      }
      log = daemon.output
      try await daemon.kill()
    }
    throw DidNotStart(log: log)
  }

  private init(
    port: Int, folder: TemporaryDirectory, caFile: String?, options: Options, configuration: String,
    daemon: Daemon
  ) {
    self.port = port
    self.folder = folder
    self.caFile = caFile
    self.options = options
    self.configuration = configuration
    self.daemon = daemon
  }

  /// - Parameter host: another name of the same server.
  package nonisolated func url(_ name: String, host: String, user: String = "") -> String {
    "\(options.isSecure ? "rediss" : "redis")://\(user)\(host):\(port)/\(name)?group=workers"
  }

  package nonisolated func url(_ name: String) -> String {
    url(name, host: "127.0.0.1", user: options.password.map { ":\($0)@" } ?? "")
  }

  package nonisolated var name: String { "Redis at 127.0.0.1:\(port)" }

  package func kill() async throws {
    let daemon = daemon
    self.daemon = nil
    try await daemon?.kill()
  }

  package func restart() async throws {
    let daemon = Daemon("redis-server", [configuration], name: "redis-\(starts)", in: folder)
    self.daemon = daemon
    starts += 1
    guard try await Self.isReady(daemon) else { throw DidNotStart(log: daemon.output) }
  }

  /// Its process id; nil while it is stopped.
  package var pid: Int32? { daemon?.pid }

  /// Runs a command of Redis that returns text, such as `["CONFIG", "SET", "maxmemory", "1"]`.
  /// - Throws: `Command.Failure` if Redis refuses it.
  @discardableResult
  package func command(_ words: [String]) async throws -> String {
    var arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-e"]
    if let password = options.password { arguments += ["--no-auth-warning", "-a", password] }
    if let caFile { arguments += ["--tls", "--cacert", caFile] }
    return try await Command("redis-cli").runSuccessfully(arguments + words).output
  }

  /// Limits the size of the server's files in bytes, as on a full disk; nil removes the limit.
  package func limitFiles(to bytes: Int?) async throws {
    guard let pid else { return }
    try await Command.limitFiles(of: pid, to: bytes)
  }

  package func fillDisk(of consumer: Int32) async throws {
    // With `always`, Redis would exit because it must not confirm what is not on the disk.
    try await command(["CONFIG", "SET", "appendfsync", "everysec"])
    try await limitFiles(to: 1)
  }

  package func freeDisk(of consumer: Int32) async throws { try await limitFiles(to: nil) }

  /// It accepts connections before that, but answers that it is loading.
  private static func isReady(_ daemon: Daemon) async throws -> Bool {
    try await daemon.wait { $0.contains("Ready to accept connections") }
  }

  private static func text(
    port: Int, folder: TemporaryDirectory, certificates: Certificates?, _ options: Options
  ) -> String {
    var lines = [
      "bind 127.0.0.1", "dir \(folder.path)", "appendonly yes", "appendfsync always", #"save """#,
      "auto-aof-rewrite-percentage 0",
    ]
    if let certificates {
      lines += [
        "port 0", "tls-port \(port)", "tls-cert-file \(certificates.trusted.certificate)",
        "tls-key-file \(certificates.trusted.key)", "tls-ca-cert-file \(certificates.authority.certificate)",
        "tls-auth-clients no",
      ]
    } else {
      lines.append("port \(port)")
    }
    if let password = options.password { lines.append("requirepass \(password)") }
    return (lines + options.lines).joined(separator: "\n") + "\n"
  }
}

/// Runs `body` with a server of its own, and stops it however `body` ends.
package func withRedisServer<Result: Sendable>(
  _ options: RedisServer.Options = RedisServer.Options(), _ body: (RedisServer) async throws -> Result
) async throws -> Result {
  try await withServer({ try await RedisServer.start(in: $0, options) }, body)
}
