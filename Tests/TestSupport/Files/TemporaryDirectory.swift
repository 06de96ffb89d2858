import Glibc
import SystemPackage

/// A folder of its own for one test. Made and removed by `withTemporaryDirectory`.
package struct TemporaryDirectory: Sendable {
  package let path: String

  /// The path of `name` in the folder, whether or not it exists.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  /// - Parameter mode: the mode of a new file, as in chmod(1).
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o644) throws -> String {
    try Files.write(bytes, to: path(of: name), mode: mode)
    return path(of: name)
  }

  /// The names in it, sorted.
  package var names: [String] { Files.names(in: path) }

  /// Makes an empty folder. The caller has to remove it.
  static func make() throws -> TemporaryDirectory {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/push-enricher-test.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    return TemporaryDirectory(
      path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}

/// Runs `body` with an empty folder, and removes it with everything in it however `body` ends.
package func withTemporaryDirectory<Result: Sendable>(
  _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryDirectory.make()
  defer { Files.remove(folder.path) }
  return try await body(folder)
}
