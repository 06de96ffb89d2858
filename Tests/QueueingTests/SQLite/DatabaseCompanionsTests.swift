import Glibc
import TestSupport
import Testing

@testable import Queueing

@Suite("SQLite: files beside a database")
struct DatabaseCompanionsTests {
  /// Without root's rights nobody can give files away, and there is nothing to do.
  @Test("that root uses belong to the owner of the database", arguments: [true, false])
  func owner(isForeign: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "q.db")
      _ = try SQLiteStore(path: path)
      #expect(unsafe chmod(path, 0o640) == 0)
      let isRoot = geteuid() == 0
      if isForeign, isRoot { #expect(unsafe chown(path, 65_534, 65_533) == 0) }
      let link = folder.path(of: "link.db")
      #expect(unsafe symlink("q.db", link) == 0)
      DatabaseCompanions.make(for: link)
      let made = isForeign && isRoot ? ["q.db-shm", "q.db-wal"] : []
      #expect(folder.names == ["link.db", "q.db"] + made)
      for name in made {
        var status = stat()
        #expect(unsafe stat(folder.path(of: name), &status) == 0)
        #expect(status.st_uid == 65_534 && status.st_gid == 65_533)
        #expect(status.st_mode & 0o777 == 0o640)
      }
      // SQLite takes them as they are, and takes them away.
      _ = try SQLiteStore(path: path)
      #expect(folder.names == ["link.db", "q.db"])
    }
  }
}
