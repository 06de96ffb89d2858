import Glibc

/// Queues in one file. There is no server to kill, so an outage moves the file out of reach.
package struct SQLiteBroker: MortalBroker {
  package let file: String
  package var name: String { file }
  private var away: String { "\(file)-away" }

  init(folder: TemporaryDirectory) { file = folder.path(of: "queue.db") }

  package func url(_ name: String) -> String { "sqlite:\(file)?queue=\(name)" }

  package func kill() { unsafe rename(file, away) }

  package func restart() { unsafe rename(away, file) }

  /// The limit is larger than a worker's other files in tests, such as its log and its media.
  package func fillDisk(of consumer: Int32) async throws {
    try await Command.limitFiles(of: consumer, to: 80_000)
  }

  package func freeDisk(of consumer: Int32) async throws {
    try await Command.limitFiles(of: consumer, to: nil)
  }
}
