extension Command {
  /// Lets no file that a process writes grow beyond so many bytes, as if the disk were full; nil for no
  /// limit.
  /// - Throws: `Failure.failed` when there is no such process.
  package static func limitFiles(of process: Int32, to bytes: Int?) async throws {
    let limit = bytes.map { "\($0)" } ?? "unlimited"
    try await Command("prlimit").runSuccessfully(["--pid", "\(process)", "--fsize=\(limit):unlimited"])
  }
}
