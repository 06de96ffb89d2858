import Glibc
import TestSupport
import Testing

@testable import Confining

@Suite("Allowed paths")
struct AllowedPathsTests {
  /// As Kubernetes lays out a secret: `keys.json` → `..data/keys.json`, and `..data` → a folder that is
  /// replaced by another.
  @Test("of a file that is replaced: where it is, and where its link leads") func replaceable() async throws {
    try await withTemporaryDirectory { folder in
      let (mount, real) = (folder.path(of: "mount"), folder.path(of: "mount/..2026"))
      for path in [mount, real] { #expect(unsafe mkdir(path, 0o755) == 0) }
      try Files.write([], to: "\(real)/keys.json")
      #expect(unsafe symlink("..2026", "\(mount)/..data") == 0)
      #expect(unsafe symlink("..data/keys.json", "\(mount)/keys.json") == 0)
      var paths = AllowedPaths()
      let before = paths.read.count
      paths.addReplaceable("\(mount)/keys.json")
      #expect(paths.read.dropFirst(before).map { resolved($0) } == [resolved(mount), resolved(real)])
    }
  }

  @Test(
    "of a file that is missing: the directory that it would be in",
    arguments: [
      ("/nonexistent/keys.json", "/nonexistent"), ("keys.json", "."), ("/keys.json", "/"), ("a/b/", "a"),
    ])
  func missing(path: String, directory: String) {
    var paths = AllowedPaths()
    let before = paths.read.count
    paths.addReplaceable(path)
    #expect(Array(paths.read.dropFirst(before)) == [directory])
  }

  @Test("of a directory that is kept: itself, and its parent as long as it is missing") func kept()
    async throws
  {
    try await withTemporaryDirectory { folder in
      var paths = AllowedPaths()
      paths.addWritable(folder.path)
      #expect(paths.writable == [folder.path])
      #expect(paths.creatable == [])
      paths.addWritable(folder.path(of: "store/"))
      #expect(paths.creatable == [folder.path])
    }
  }

  @Test("of a database: the directory that it lies in, whatever links lead there") func database()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let (real, link) = (folder.path(of: "real"), folder.path(of: "link.db"))
      #expect(unsafe mkdir(real, 0o755) == 0)
      try Files.write([], to: "\(real)/queue.db")
      #expect(unsafe symlink("\(real)/queue.db", link) == 0)
      var paths = AllowedPaths()
      paths.addWritable(directoryOf: link)
      paths.addWritable(directoryOf: "other.db")
      #expect(paths.writable.map { resolved($0) } == [resolved(real), resolved(".")])
    }
  }

  private func resolved(_ path: String) -> String {
    let text = unsafe realpath(path, nil)
    defer { unsafe free(text) }
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
