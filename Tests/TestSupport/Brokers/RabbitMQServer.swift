/// A real RabbitMQ on loopback, with TLS on a second port, without plugins, and with its own copy
/// of everything that Erlang needs beside it. It takes seconds to start, so tests share servers:
/// see `shared` and `withMortal`.
package actor RabbitMQServer: MortalBroker {
  /// The server did not start. Its log may say why.
  package struct DidNotStart: Error, Equatable { package let log: String }

  package nonisolated let folder: TemporaryDirectory
  package nonisolated let ports: RabbitMQPorts
  /// The PEM file of the authority's certificate, for `--ca-file`. The server's own certificate is
  /// for `localhost` and `127.0.0.1`.
  package nonisolated let caFile: String
  /// Nil while it is stopped.
  private var daemon: Daemon?
  private var starts = 1

  /// - Throws: `DidNotStart`, or what `Command` throws if openssl fails.
  static func start(in folder: TemporaryDirectory) async throws -> RabbitMQServer {
    let certificates = try await Certificates(in: folder)
    var log = ""
    // A port that was free may be taken by the time the server binds it.
    for attempt in 0..<4 {
      let ports = RabbitMQPorts()
      try Files.write(
        Array(configuration(ports, certificates.trusted).utf8), to: folder.path(of: "rabbitmq.conf"))
      let daemon = daemon(in: folder, ports, name: "rabbitmq-start-\(attempt)")
      if try await isReady(daemon) {
        return RabbitMQServer(
          folder: folder, ports: ports, caFile: certificates.authority.certificate, daemon: daemon)
      }
      log = daemon.output
      try await daemon.kill()
    }
    throw DidNotStart(log: log)
  }

  private init(folder: TemporaryDirectory, ports: RabbitMQPorts, caFile: String, daemon: Daemon) {
    self.folder = folder
    self.ports = ports
    self.caFile = caFile
    self.daemon = daemon
  }

  /// The URL of a quorum queue, which is what push-enricher declares if a queue is missing.
  package nonisolated func url(_ name: String) -> String {
    "amqp://127.0.0.1:\(ports.plain)/?queue=\(name)"
  }

  package nonisolated var name: String { "RabbitMQ at 127.0.0.1:\(ports.plain)" }

  /// Its process id; nil while it is stopped.
  package var pid: Int32? { daemon?.pid }

  /// First waits until the names of all queues are on the disk. RabbitMQ 3.10 writes the name of a
  /// quorum queue a second after everything else, and without it the queue no longer works.
  package func kill() async throws {
    for _ in 0..<600 {
      if try await hasNames { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    let daemon = daemon
    self.daemon = nil
    try await daemon?.kill()
  }

  private var hasNames: Bool {
    get async throws {
      let node = "test-\(ports.plain)@localhost"
      let script = """
        cd "$0" 2>/dev/null || exit 0
        logs=$(ls | grep '^2F_' | sort -u)
        [ "$(printf '%s' "$logs" | grep -aoFf - names.dets | sort -u)" = "$logs" ]
        """
      let logs = folder.path(of: "data/\(node)/quorum/\(node)")
      return try await Command("sh").run(["-c", script, logs]).exitStatus == 0
    }
  }

  /// Does nothing if it is running.
  package func restart() async throws {
    guard daemon == nil else { return }
    let daemon = Self.daemon(in: folder, ports, name: "rabbitmq-\(starts)")
    self.daemon = daemon
    starts += 1
    guard try await Self.isReady(daemon) else { throw DidNotStart(log: daemon.output) }
  }

  private static func isReady(_ daemon: Daemon) async throws -> Bool {
    for _ in 0..<3 {
      if try await daemon.wait(until: { $0.contains("Server startup complete") }) { return true }
      if daemon.hasEnded { return false }
    }
    return false
  }

  /// Starts a port mapper of its own: one that Erlang starts by itself outlives everything. The
  /// port mapper of the previous server may still be ending.
  private static func daemon(in folder: TemporaryDirectory, _ ports: RabbitMQPorts, name: String) -> Daemon {
    let script = """
      while epmd -names >/dev/null 2>&1; do sleep 0.05; done
      epmd & until epmd -names >/dev/null 2>&1; do sleep 0.05; done
      exec /usr/lib/rabbitmq/bin/rabbitmq-server
      """
    return Daemon(
      "sh", ["-c", script], environment: environment(in: folder, ports), name: name, in: folder)
  }

  /// The environment of the server and of rabbitmqctl.
  private static func environment(in folder: TemporaryDirectory, _ ports: RabbitMQPorts) -> [String: String] {
    [
      // The cookie that its parts authenticate each other with is kept there.
      "HOME": folder.path, "ERL_EPMD_PORT": "\(ports.mapper)", "ERL_EPMD_ADDRESS": "127.0.0.1",
      "RABBITMQ_NODENAME": "test-\(ports.plain)@localhost", "RABBITMQ_DIST_PORT": "\(ports.distribution)",
      "RABBITMQ_CONFIG_FILE": folder.path(of: "rabbitmq.conf"), "RABBITMQ_CONF_ENV_FILE": "/dev/null",
      "RABBITMQ_BASE": folder.path, "RABBITMQ_MNESIA_BASE": folder.path(of: "data"), "RABBITMQ_LOGS": "-",
      "RABBITMQ_ENABLED_PLUGINS_FILE": folder.path(of: "plugins"),
      "ERL_CRASH_DUMP_SECONDS": "0",
      // One process, without a shell that waits for it.
      "RABBITMQ_ALLOW_INPUT": "1", "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-noinput",
    ]
  }

  /// RabbitMQ considers a disk full if less than its limit is free.
  package func fillDisk(of consumer: Int32) async throws { try await setDiskFreeLimit("1000000GB") }

  package func freeDisk(of consumer: Int32) async throws { try await setDiskFreeLimit("10MB") }

  private func setDiskFreeLimit(_ limit: String) async throws {
    try await control(["set_disk_free_limit", limit])
  }

  /// Runs a command of rabbitmqctl, such as `["set_vm_memory_high_watermark", "0"]`.
  package func control(_ words: [String]) async throws {
    // Like the server itself, it may only look for the port mapper that is running.
    let arguments = ["-n", "test-\(ports.plain)@localhost"] + words
    let control = Command("/usr/lib/rabbitmq/bin/rabbitmqctl")
    let run = try await control.run(
      arguments, environment: Self.environment(in: folder, ports), limit: .seconds(120))
    guard run.exitStatus == 0 else { throw Command.Failure.failed(Command.Line(words: arguments), run) }
  }

  private static func configuration(_ ports: RabbitMQPorts, _ identity: Certificates.Identity) -> String {
    """
    listeners.tcp.1 = 127.0.0.1:\(ports.plain)
    listeners.ssl.1 = 127.0.0.1:\(ports.secure)
    ssl_options.certfile = \(identity.certificate)
    ssl_options.keyfile = \(identity.key)
    disk_free_limit.absolute = 10MB
    log.console.level = info

    """
  }
}

package struct RabbitMQPorts: Sendable {
  package let plain, secure: Int
  let distribution, mapper: Int

  init() {
    let ports = freePorts(4)
    (plain, secure, distribution, mapper) = (ports[0], ports[1], ports[2], ports[3])
  }
}
