import Glibc
import Subprocess
import SystemPackage

/// A program that tests run, in an environment of its own and never for longer than allowed.
package struct Command: Sendable {
  /// How a run can fail. An exit status other than 0 is a result, not a failure.
  package enum Failure: Error, Equatable {
    /// It was still running after `limit` and was killed.
    case tooLong(Command.Line, limit: Duration)
    /// `runSuccessfully` expected it to succeed.
    case failed(Command.Line, Run)
  }

  /// The program and its arguments, for messages.
  package struct Line: Equatable, Sendable {
    package var words: [String]

    package init(words: [String]) { self.words = words }
  }

  /// An absolute path, or a name that is looked up in `searchPath`.
  package let executable: String

  package init(_ executable: String) { self.executable = executable }

  /// Where programs are found. nginx is in a folder that only root has in its `PATH`.
  package static let searchPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

  /// Runs it until it ends.
  /// - Parameters:
  ///   - arguments: the arguments, without the program's own name.
  ///   - input: the whole of its standard input.
  ///   - environment: all that it sees, apart from `PATH` and a `HOME` that does not exist.
  ///   - limit: how long it may take before it is killed.
  ///   - interval: how often its private memory is sampled; nil for never.
  /// - Returns: what it wrote and how it ended, whatever its exit status.
  /// - Throws: `Failure.tooLong`, or `SubprocessError` if it could not be started or wrote more
  ///   than 128 MB.
  package func run(
    _ arguments: [String] = [], input: [UInt8] = [], environment: [String: String] = [:],
    limit: Duration = .seconds(60), sampledEvery interval: Duration? = nil
  ) async throws -> Run {
    try await withThrowingTaskGroup(of: Run?.self) { group in
      group.addTask {
        try await runUnbounded(arguments, input: input, environment: environment, sampledEvery: interval)
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      // Cancelling the run kills the process and the processes that it started.
      defer { group.cancelAll() }
      guard let first = try await group.next(), let run = first else {
        throw Failure.tooLong(Line(words: [executable] + arguments), limit: limit)
      }
      return run
    }
  }

  /// Runs a tool that is expected to succeed.
  /// - Throws: `Failure.failed` unless its exit status is 0, and what `run` throws.
  @discardableResult
  package func runSuccessfully(_ arguments: [String], input: [UInt8] = []) async throws -> Run {
    let run = try await run(arguments, input: input)
    guard run.exitStatus == 0 else { throw Failure.failed(Line(words: [executable] + arguments), run) }
    return run
  }

  private func runUnbounded(
    _ arguments: [String], input: [UInt8], environment: [String: String], sampledEvery interval: Duration?
  ) async throws -> Run {
    _ = Self.ignoresBrokenPipes
    let clock = ContinuousClock()
    let start = clock.now
    var configuration = configuration(arguments, environment: environment)
    // Gives it a process group of its own, so that a kill also ends everything that it has started.
    configuration.platformOptions.processGroupID = 0
    configuration.platformOptions.teardownSequence = [
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
    ]
    let result = try await Subprocess.run(
      configuration, input: .inputWriter,
      output: .bytes(limit: 128_000_000), error: .bytes(limit: 128_000_000)
    ) { process -> Int? in
      async let peak = ProcessStatus.peakPrivateBytes(of: process.processIdentifier.value, every: interval)
      // Written here and not by Subprocess 1.0.2, which traps if a program ends before it has read
      // its input. A program may do that.
      _ = try? await process.standardInputWriter.write(input)
      try await process.standardInputWriter.finish()
      return await peak
    }
    let termination: Run.Termination =
      switch result.terminationStatus {
      case .exited(let status): .exited(status)
      case .signaled(let signal): .signalled(signal)
      }
    return Run(
      standardOutput: result.standardOutput,
      standardError: String(decoding: result.standardError, as: UTF8.self),
      termination: termination, duration: clock.now - start, peakPrivateBytes: result.closureResult)
  }

  /// SIGPIPE would end the test process if a program closed its input early. Subprocess resets it
  /// in the programs that it starts.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  /// The same program as a configuration of Subprocess, without our environment.
  func configuration(_ arguments: [String], environment: [String: String] = [:]) -> Configuration {
    let base = ["PATH": Self.searchPath, "HOME": "/nonexistent"]
    let all = base.merging(environment) { _, given in given }
    return Configuration(
      executable: executable.hasPrefix("/") ? .path(FilePath(executable)) : .name(executable),
      arguments: Arguments(arguments),
      environment: .custom(
        Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0), $1) })))
  }
}
