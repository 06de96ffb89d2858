import BuiltInQueueing
import Glibc
@testable import Queueing
import TestSupport
import Testing

/// Leases that last as long as the process that holds them.
@Suite("SQLite: leases", .timeLimit(.minutes(5)))
struct LeaseOwnerTests {
  @Test("messages of a killed process are available at once, and count as handed out")
  func killed() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish(0..<64)
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
        #expect(try await queue.ids().count == 64)
        kill(getpid(), SIGKILL)
      }
      let deliveries = try #require(try await queue.receive(100, waitingUpTo: .zero))
      #expect(deliveries.map(\.message.id) == (0..<64).map { "m\($0)" })
      #expect(deliveries.allSatisfy { $0.attempt == 2 })
    }
  }

  @Test("an owner is alive for as long as it exists, for others and for itself")
  func alive() async throws {
    try await withTemporaryDirectory { folder in
      let database = try folder.write([], to: "queue.db")
      let one = try LeaseOwner(of: database)
      let own = one.isAlive(one.number)
      #expect(own)
      let number: Int64
      do {
        let other = try LeaseOwner(of: database)
        number = other.number
        let isAlive = one.isAlive(number) && other.isAlive(number) && other.isAlive(one.number)
        #expect(isAlive)
      }
      for ended in [number, 1, Int64.max] {
        let isAlive = one.isAlive(ended)
        #expect(!isAlive)
      }
    }
  }

  @Test("a lock file that was removed or replaced is made again", arguments: [true, false])
  func replaced(isThere: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let one = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await one.publish(0..<2)
      #expect(try await one.ids() == ["m0", "m1"])
      Files.remove("\(path)-lock")
      if isThere { try folder.write([], to: "queue.db-lock") }
      #expect(try await !one.isEmpty)
      let other = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      #expect(try await other.ids() == [])
    }
  }

  @Test(
    "everybody who may use the database may use the lock file", arguments: [0o600, 0o640, 0o666] as [mode_t])
  func mode(mode: mode_t) async throws {
    try await withTemporaryDirectory { folder in
      let database = try folder.write([], to: "queue.db")
      #expect(unsafe chmod(database, mode) == 0)
      _ = try LeaseOwner(of: database)
      var status = stat()
      #expect(unsafe stat("\(database)-lock", &status) == 0)
      #expect(status.st_mode & 0o7777 == mode)
    }
  }

  @Test("a symbolic link is not followed, and an error names a lock file that cannot be opened")
  func unusable() async throws {
    try await withTemporaryDirectory { folder in
      let database = try folder.write([], to: "queue.db")
      let lock = "\(database)-lock"
      #expect(unsafe symlink(folder.path(of: "elsewhere"), lock) == 0)
      #expect(
        throws: QueueError.refused(
          "the file \(lock) of the queue cannot be opened (Too many levels of symbolic links): give this user the right to read and write it"
        )
      ) { _ = try LeaseOwner(of: database) }
      #expect(!Files.exists(folder.path(of: "elsewhere")))
    }
  }

  @Test("a database behind a link has its lock next to itself")
  func link() async throws {
    try await withTemporaryDirectory { folder in
      let (path, link) = (folder.path(of: "queue.db"), folder.path(of: "link.db"))
      #expect(unsafe symlink(path, link) == 0)
      let one = try Queues().open("sqlite:\(link)", defaultQueue: "incoming")
      try await one.publish([1])
      #expect(try await one.ids() == ["m1"])
      #expect(try await Queues().open("sqlite:\(path)", defaultQueue: "incoming").ids() == [])
      #expect(!folder.names.contains("link.db-lock"))
    }
  }

  @Test("a file of version 0.1.0 is migrated, and its leases are over")
  func earlier() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      do {
        let shell = try SQLiteConnection(path: path)
        try shell.execute(
          """
          CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            queue TEXT NOT NULL,
            id TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
            leased_until INTEGER NOT NULL DEFAULT 0,
            receipt TEXT NOT NULL DEFAULT '',
            attempts INTEGER NOT NULL DEFAULT 0,
            headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object'),
            body BLOB NOT NULL
          ) STRICT;
          CREATE INDEX message_order ON message (queue, number, leased_until);
          PRAGMA application_id = 1886745448;
          PRAGMA user_version = 1;
          PRAGMA journal_mode = WAL;
          INSERT INTO message (queue, id, leased_until, receipt, attempts, body)
            VALUES ('incoming', 'a', (unixepoch() + 60) * 1000, '1-ff', 1, x'7b7d'), ('incoming', 'b', 0, '', 0, x'7b7d');
          """)
      }
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      let deliveries = try #require(try await queue.receive(2, waitingUpTo: .zero))
      #expect(deliveries.map(\.message.id) == ["a", "b"])
      #expect(deliveries.map(\.attempt) == [2, 1])
      for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
      #expect(try await queue.isEmpty)
    }
  }

  @Test("owners and free messages are found through indexes")
  func plans() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      _ = try MessageTable(path: path)
      var shell = try SQLiteConnection(path: path)
      for (query, index) in [
        ("SELECT DISTINCT owner FROM message WHERE owner > 0", "message_owner"),
        (
          "SELECT number FROM message WHERE queue = 'a' AND owner <= 0 ORDER BY number LIMIT 1",
          "message_order"
        ),
      ] {
        var plan = ""
        try shell.run("EXPLAIN QUERY PLAN \(query)") { plan += $0.text(3) }
        #expect(plan.hasPrefix("SEARCH message USING COVERING INDEX \(index)"), "\(plan)")
      }
    }
  }
}
