import Subprocess

/// A server process that ends with the test process, however that ends: a shell holds the other end of a
/// pipe, and kills the server and all that it has started when the pipe breaks.
package struct Daemon: Sendable {
  /// Its log, from its start on.
  package let log: String
  private let wish: AsyncStream<Void>.Continuation
  private let end: Task<Void, any Error>
  private let pidFile: String

  /// Where a file is as long as it may be, the server gets an error, as on a full disk, and no signal. What
  /// ends the tests in a hurry, such as `timeout`, signals the shell as well, which has to live on to clean
  /// up.
  ///
  /// A line on the pipe is the wish of `kill`; its break is the end of the test process, behind which nobody
  /// cleans up. Killed is the group, and the server itself, which may not lead one yet.
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
  ///   - name: of its log in `folder`, which is removed if the test process ends first.
  ///   - environment: all that it sees, besides `PATH` and `HOME`.
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

  /// What it has written so far.
  package var output: String { String(decoding: (try? Files.read(log)) ?? [], as: UTF8.self) }

  /// The process id of the server, which leads a group of its own; nil as long as it has none.
  package var pid: Int32? {
    (try? Files.read(pidFile)).flatMap { Int32(String(decoding: $0.dropLast(), as: UTF8.self)) }
  }

  /// Waits until `isReady` says so of its log, for a minute at most.
  /// - Returns: false when it has ended before, or was too slow.
  package func wait(until isReady: (String) -> Bool) async throws -> Bool {
    await eventually { isReady(output) && pid != nil || hasEnded } && isReady(output)
  }

  /// Whether the server runs no more: a process that nobody has reaped counts as ended.
  package var hasEnded: Bool {
    guard let pid else { return false }
    guard let status = try? Files.read("/proc/\(pid)/stat") else { return true }
    // The state stands behind the name, which is in parentheses and may hold some itself.
    return status.drop { $0 != UInt8(ascii: ")") }.dropFirst(2).first == UInt8(ascii: "Z")
  }

  /// Kills it and all that it has started, and waits until it is gone. Called once.
  package func kill() async throws {
    wish.yield()
    try await end.value
  }
}
