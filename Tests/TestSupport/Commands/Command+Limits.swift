extension Command {
  /// Limits the size of every file that a process writes, as if the disk were full; nil removes the
  /// limit.
  /// - Throws: `Failure.failed` if there is no such process.
  package static func limitFiles(of process: Int32, to bytes: Int?) async throws {
    let limit = bytes.map { "\($0)" } ?? "unlimited"
    try await Command("prlimit").runSuccessfully(["--pid", "\(process)", "--fsize=\(limit):unlimited"])
  }
}
