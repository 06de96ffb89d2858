import Glibc
import TestSupport
import Testing

@testable import Confining

@Suite("Allowed paths")
struct AllowedPathsTests {
  /// The layout of a Kubernetes secret: `keys.json` → `..data/keys.json`, and `..data` → a folder
  /// that is replaced by another one.
  @Test("of a file that can be replaced: its directory, and the one that its link leads to")
  func replaceable() async throws {
    try await withTemporaryDirectory { folder in
      let (mount, real) = (folder.path(of: "mount"), folder.path(of: "mount/..2026"))
      for path in [mount, real] { #expect(unsafe mkdir(path, 0o755) == 0) }
      try Files.write([], to: "\(real)/keys.json")
      #expect(unsafe symlink("..2026", "\(mount)/..data") == 0)
      #expect(unsafe symlink("..data/keys.json", "\(mount)/keys.json") == 0)
      #expect(
        added { $0.addReplaceable("\(mount)/keys.json") }.map { resolved($0) }
          == [mount, real].map { resolved($0) })
    }
  }

  @Test("always include the certificate authorities of the system, also if a link leads to them")
  func authorities() {
    #expect(AllowedPaths().read.contains(resolved("/etc/ssl/certs")))
  }

  @Test(
    "of a missing file: the directory that it would be in",
    arguments: [("/nonexistent/keys.json", "/nonexistent"), ("keys.json", "."), ("a/b/", "a")])
  func missing(path: String, directory: String) {
    #expect(added { $0.addReplaceable(path) } == [directory])
  }

  @Test(
    "of a file in a shared directory: the file alone, however the directory is spelled",
    arguments: [
      "/keys.json", "/etc/../keys.json", "/proc/self/root/keys.json", "/var/keys.json", "/root/keys.json",
      "/home/keys.json", "/var/lib/keys.json", "/tmp/keys.json", "/var/tmp/keys.json",
    ])
  func shared(path: String) { #expect(added { $0.addReplaceable(path) } == [path]) }

  @Test("of a directory for files: itself, and its parent if it has to be created") func kept()
    async throws
  {
    try await withTemporaryDirectory { folder in
      var paths = AllowedPaths()
      try paths.addWritable(folder.path, isMade: true)
      #expect(paths.writable == [folder.path])
      try paths.addWritable(folder.path(of: "named/"))
      #expect(paths.creatable == [])
      try paths.addWritable(folder.path(of: "store/"), isMade: true)
      #expect(paths.creatable == [folder.path])
    }
  }

  @Test("of a missing directory in a shared one: itself, created for this user only")
  func made() throws {
    let path = "/tmp/push-enricher-\(UInt64.random(in: 0 ... .max))"
    var paths = AllowedPaths()
    try paths.addWritable(path, isMade: true)
    defer { Files.remove(path) }
    #expect(paths.writable == [path] && paths.creatable == [])
    #expect(Files.mode(of: path) == "700")
  }

  @Test("of a database: its directory, whatever links lead there") func database()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let (real, link) = (folder.path(of: "real"), folder.path(of: "link.db"))
      #expect(unsafe mkdir(real, 0o755) == 0)
      try Files.write([], to: "\(real)/queue.db")
      #expect(unsafe symlink("\(real)/queue.db", link) == 0)
      var paths = AllowedPaths()
      try paths.addWritable(directoryOf: link)
      try paths.addWritable(directoryOf: "other.db")
      #expect(paths.writable.map { resolved($0) } == [resolved(real), resolved(".")])
    }
  }

  @Test(
    "never include a shared directory for writing",
    arguments: [
      ("/q.db", "/"), ("//q.db", "/"), ("/proc/self/root/q.db", "/"), ("/etc/q.db", "/etc"),
      ("/root/q.db", "/root"), ("/tmp/q.db", "/tmp"), ("/tmp/../tmp/./q.db", "/tmp"),
    ])
  func wide(database: String, directory: String) throws {
    let wide = try #require(WideDirectory(directory))
    var paths = AllowedPaths()
    #expect(throws: wide) { try paths.addWritable(directoryOf: database) }
    #expect(throws: wide) { try paths.addWritable(directory) }
    #expect(throws: wide) { try paths.addReadable(directory: directory) }
    #expect(paths.writable == [] && paths.creatable == [])
  }

  @Test(
    "never include a directory without regular files, which then fails for its own reason",
    arguments: ["/proc", "/sys", "/dev"])
  func pseudo(directory: String) throws {
    var paths = AllowedPaths()
    try paths.addWritable(directory)
    #expect(paths.writable == [] && paths.creatable == [])
  }

  @Test("do not include a database that is a directory, which then fails for its own reason")
  func directory() async throws {
    try await withTemporaryDirectory { folder in
      for path in [folder.path, "/tmp", "/"] {
        var paths = AllowedPaths()
        try paths.addWritable(directoryOf: path)
        #expect(paths.writable == [] && paths.creatable == [])
      }
    }
  }

  private func added(_ add: (inout AllowedPaths) -> Void) -> [String] {
    var paths = AllowedPaths()
    let before = paths.read.count
    add(&paths)
    return Array(paths.read.dropFirst(before))
  }

  private func resolved(_ path: String) -> String {
    let text = unsafe realpath(path, nil)
    defer { unsafe free(text) }
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
