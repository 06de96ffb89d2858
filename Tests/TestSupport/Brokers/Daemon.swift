import Subprocess

/// A server process that ends with the test process, however that ends. A shell holds the other end
/// of a pipe. When it breaks, the shell kills the server and everything that it has started.
package struct Daemon: Sendable {
  /// The path of its log, from its start on.
  package let log: String
  private let wish: AsyncStream<Void>.Continuation
  private let end: Task<Void, any Error>
  private let pidFile: String

  /// If a file reaches its size limit, the server gets an error, as on a full disk, and no signal.
  /// A tool that ends the tests early, such as `timeout`, signals the shell as well. The shell has
  /// to survive that to clean up.
  ///
  /// `kill` writes a line into the pipe. If the pipe breaks, the test process has ended, and the
  /// shell also removes the folder. It kills the process group, and then the server itself, which
  /// may not lead a group yet.
  private static let script = """
    log=$1 folder=$2; shift 2
    trap '' XFSZ HUP INT TERM
    setsid "$@" </dev/null >"$log" 2>&1 &
    echo $! >"$log.new" && mv "$log.new" "$log.pid"
    if read -r _; then folder=; fi
    kill -s KILL -- -$! 2>/dev/null
    kill -s KILL $! 2>/dev/null
    wait
    if [ "$folder" ]; then rm -rf "$folder"; fi
    """

  /// Starts a program with `arguments`.
  /// - Parameters:
  ///   - name: the name of its log in `folder`. If the test process ends first, `folder` is
  ///     removed.
  ///   - environment: all that it sees, apart from `PATH` and `HOME`.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], name: String,
    in folder: TemporaryDirectory
  ) {
    log = folder.path(of: "\(name).log")
    pidFile = "\(log).pid"
    Files.remove(pidFile)
    let shell = Command("sh").configuration(
      ["-c", Self.script, "sh", log, folder.path, program] + arguments, environment: environment)
    let (wishes, wish) = AsyncStream.makeStream(of: Void.self)
    self.wish = wish
    end = Task.detached {
      _ = try await Subprocess.run(shell, input: .inputWriter, output: .discarded, error: .discarded) {
        process in
        for await _ in wishes { break }
        _ = try await process.standardInputWriter.write(Array("\n".utf8))
        try await process.standardInputWriter.finish()
      }
    }
  }

  /// The text that it has written so far.
  package var output: String { String(decoding: (try? Files.read(log)) ?? [], as: UTF8.self) }

  /// The process id of the server, which leads its own process group; nil until it is known.
  package var pid: Int32? {
    (try? Files.read(pidFile)).flatMap { Int32(String(decoding: $0.dropLast(), as: UTF8.self)) }
  }

  /// Waits up to a minute until `isReady` returns true for its log.
  /// - Returns: false if it ended before that, or was too slow.
  package func wait(until isReady: (String) -> Bool) async throws -> Bool {
    await eventually { isReady(output) && pid != nil || hasEnded } && isReady(output)
  }

  /// Whether the server has ended. A process that has not been reaped counts as ended.
  package var hasEnded: Bool {
    guard let pid else { return false }
    guard let status = try? Files.read("/proc/\(pid)/stat") else { return true }
    // The state follows the name, which is in parentheses and may contain some itself.
    return status.drop { $0 != UInt8(ascii: ")") }.dropFirst(2).first == UInt8(ascii: "Z")
  }

  /// Kills it and all that it has started, and waits until it is gone. Call it once.
  package func kill() async throws {
    wish.yield()
    try await end.value
  }
}
