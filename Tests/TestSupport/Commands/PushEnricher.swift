import Glibc
import SystemPackage

/// The program that this package builds, run as a user runs it.
package enum PushEnricher {
  /// Its path: `PUSH_ENRICHER_BINARY` if that is set, otherwise the program that was built beside
  /// this test bundle, whatever the configuration and scratch path.
  package static let path: String = {
    if let given = unsafe getenv("PUSH_ENRICHER_BINARY") { return unsafe String(cString: given) }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink("/proc/self/exe", &target, target.count)
    let bundle = FilePath(
      String(decoding: target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    return bundle.removingLastComponent().appending("push-enricher").string
  }()

  /// Runs it until it ends, or kills it after a minute. See `Command.run`.
  package static func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    limit: Duration = .seconds(60)
  ) async throws -> Run {
    try await Command(path).run(arguments, input: input, environment: environment, limit: limit)
  }

  /// The same, and samples `peakPrivateBytes` from /proc every few milliseconds.
  package static func runSampled(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    limit: Duration = .seconds(60),
    every interval: Duration = .milliseconds(2)
  ) async throws -> Run {
    try await Command(path).run(
      arguments, input: input, environment: environment, limit: limit, sampledEvery: interval)
  }
}
