import Glibc
import TestSupport
import Testing

@testable import Queueing

@Suite("SQLite: files beside a database")
struct DatabaseCompanionsTests {
  /// Only root can give files away. Without root, the files and the database belong to the user.
  @Test("have its owner and its mode, whatever the umask", arguments: [true, false])
  func owner(isForeign: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "q.db")
      _ = try SQLiteStore(path: path)
      Files.remove("\(path)-lock")
      #expect(unsafe chmod(path, 0o666) == 0)
      if isForeign, geteuid() == 0 { #expect(unsafe chown(path, 65_534, 65_533) == 0) }
      let link = folder.path(of: "link.db")
      #expect(unsafe symlink("q.db", link) == 0)
      DatabaseCompanions.make(for: link)
      let made = ["q.db-lock", "q.db-shm", "q.db-wal"]
      #expect(folder.names == ["link.db", "q.db"] + made)
      var database = stat()
      #expect(unsafe stat(path, &database) == 0)
      for name in made {
        var status = stat()
        #expect(unsafe stat(folder.path(of: name), &status) == 0)
        #expect(status.st_uid == database.st_uid && status.st_gid == database.st_gid)
        #expect(status.st_mode == database.st_mode)
      }
      // SQLite uses its own files as they are, and removes them. The lock file stays.
      _ = try SQLiteStore(path: path)
      #expect(folder.names == ["link.db", "q.db", "q.db-lock"])
    }
  }

  @Test("are not made by a user who can only read the database") func readOnly() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let path = try folder.write([], to: "q.db")
        #expect(unsafe chmod(path, 0o444) == 0 && chmod(folder.path, 0o777) == 0)
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        DatabaseCompanions.make(for: path)
        #expect(seteuid(getuid()) == 0)
        #expect(folder.names == ["q.db"])
      }
    }
  }
}
