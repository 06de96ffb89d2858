import Notifications
import TestSupport

/// Encrypts with `push-enricher seal`, as a user would.
struct Sealing: Sendable {
  let folder: TemporaryDirectory
  let keys: String

  init(_ folder: TemporaryDirectory) throws {
    self.folder = folder
    keys = try KeyFile.copy(into: folder)
  }

  /// A payload with this content, which is a JSON object.
  func payload(_ content: String, for kid: String = "dev-7f3a", _ more: [String] = []) async throws -> [UInt8]
  {
    try await run(["content", "--keys", keys, "--kid", kid] + more, input: Array(content.utf8)).standardOutput
  }

  /// Encrypts a file of Fixtures/media into the folder, under `name`, and returns its entry.
  func medium(_ file: String, as format: String, url: String, name: String) async throws -> String {
    let words = ["media", "--format", format, "--url", url, "--output", folder.path(of: name)]
    return String(try await run(words + ["\(Fixtures.media)/\(file)"]).output.dropLast())
  }

  private func run(_ words: [String], input: [UInt8] = []) async throws -> Run {
    try await Command(PushEnricher.path).runSuccessfully(["seal"] + words, input: input)
  }
}
