import BuiltInQueueing
@testable import Queueing
import Glibc
import TestSupport
import Testing

@Suite("SQLite: the file", .timeLimit(.minutes(5)))
struct SQLiteStoreTests {
  @Test("the files of a database are next to the file that a link leads to")
  func files() async throws {
    try await withTemporaryDirectory { folder in
      let (path, link) = (folder.path(of: "queue.db"), folder.path(of: "link.db"))
      let files = ["", "-wal", "-shm", "-journal", "-lock"].map { path + $0 }
      // The file does not exist yet.
      #expect(SQLiteStore.files(of: path) == files)
      _ = try SQLiteStore(path: path)
      #expect(unsafe symlink("queue.db", link) == 0)
      #expect(SQLiteStore.files(of: link) == files)
    }
  }

  @Test("a message to which another program gave an empty id has the number of its row instead")
  func noID() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish([Message(id: "a", body: [1])])
      let shell = try SQLiteConnection(path: path)
      try shell.execute("INSERT INTO message (queue, id, body) VALUES ('incoming', '', x'02')")
      let expected = [Message(id: "a", body: [1]), Message(id: "2", body: [2])]
      #expect(try await queue.browse(3) == expected)
      let deliveries = try await queue.receive(3, waitingUpTo: .zero) ?? []
      #expect(deliveries.map(\.message) == expected)
      for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
      #expect(try await queue.isEmpty)
    }
  }

  @Test("operations that wait for a commit are committed together")
  func groups() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish([1_000])
      let before = try WriteAheadLog(of: path).commits
      var other = try SQLiteConnection(path: path)
      try other.begin()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<64 { group.addTask { try await queue.publish([number]) } }
        // By now the first one waits for the lock, and the others wait for the first one.
        try await Task.sleep(for: .milliseconds(300))
        other.rollBack()
        try await group.waitForAll()
      }
      #expect(try await queue.contents().count == 65)
      // Separate commits would be 64. It is two, unless a slow machine made some come later.
      #expect(try WriteAheadLog(of: path).commits - before < 32)
    }
  }

  @Test("an operation that fails does not affect operations that came later")
  func failing() async throws {
    try await withTemporaryDirectory { folder in
      let store = try SQLiteStore(path: folder.path(of: "queue.db"))
      let refusal = QueueError.refused("no")
      let failure = await failure { () async throws(QueueError) in
        try await store.write { (table) throws(QueueError) in
          try table.insert(message(1), into: "incoming")
          throw refusal
        }
      }
      #expect(failure == refusal)
      let queue = SQLiteQueue(store: store, name: "incoming")
      try await queue.publish([2])
      #expect(try await queue.contents() == ["m2"])
    }
  }

  @Test("paths with a special meaning in SQLite are files")
  func specialPaths() async throws {
    try await withTemporaryDirectory { folder in
      for name in [":memory:", "file:x?mode=memory", "Ünï code's \"db\"", "-"] {
        let path = "\(folder.path)/\(name)"
        _ = try SQLiteStore(path: path)
        #expect(folder.names.contains(name))
      }
    }
  }

  @Test("people can read the file and write to it with SQL")
  func people() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish([message(1), message(2)])
      let delivery = try await queue.next()

      var shell = try SQLiteConnection(path: path)
      try shell.execute(#"INSERT INTO message (queue, body) VALUES ('incoming', CAST('{"aps":{}}' AS BLOB))"#)
      try shell.execute(#"UPDATE message SET headers = '{ "n" : 3.0 }' WHERE id = 'm2'"#)
      #expect(
        try shell.value(
          "SELECT count(*) || ' ' || sum(owner > 0) FROM message GROUP BY queue")
          == "3 1")
      #expect(try shell.value("SELECT headers ->> 'n' FROM message WHERE id = 'm1'") == "1")
      for mistake in ["headers = '[]'", "headers = 'x'", "headers = NULL", "body = 'text'", "queue = NULL"] {
        #expect(throws: QueueError.self) { try shell.execute("UPDATE message SET \(mistake)") }
      }

      let others = try #require(try await queue.receive(10, waitingUpTo: .zero))
      #expect(others.map(\.message.body) == [message(2).body, Array(#"{"aps":{}}"#.utf8)])
      #expect(others.map(\.message.headers) == [[Header("n", "3.0")], []])
      #expect(others[1].message.id.utf8.count == 32)
      try await queue.settle(delivery, publishing: [])
    }
  }

  @Test("the file does not grow if as much goes out as comes in")
  func size() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      let messages = (0..<50).map { Message(id: "m\($0)", body: [UInt8](repeating: 1, count: 4_000)) }
      for _ in 0..<40 {
        try await queue.publish(messages)
        for delivery in try await queue.receive(50, waitingUpTo: .zero) ?? [] {
          try await queue.settle(delivery, publishing: [])
        }
      }
      #expect(try await queue.contents() == [])
      // 200,000 bytes at a time, and eight million in all.
      #expect(try Files.size(of: path) < 1_000_000)
      #expect(try Files.size(of: "\(path)-wal") < 8_000_000)
    }
  }
}

/// The write-ahead log of a queue file (sqlite.org/fileformat2.html, section 4).
private struct WriteAheadLog {
  /// The number of transactions in it. It starts again when it is full, which no test here reaches.
  let commits: Int

  init(of path: String) throws {
    let bytes = try Files.read("\(path)-wal")
    let frame = 24 + 4_096
    // Only the last frame of a transaction has the size of the database.
    commits = stride(from: 32, to: bytes.count, by: frame).count { start in
      start + frame <= bytes.count && bytes[start + 4..<start + 8].contains { $0 != 0 }
    }
  }
}
