import BuiltInQueueing
import Glibc
@testable import Queueing
import TestSupport
import Testing

/// Files that are not queues, or not at the moment. Each error says what to do about it, and the
/// file stays unchanged.
@Suite("SQLite: files that are no queue", .timeLimit(.minutes(5)))
struct SQLiteErrorTests {
  private func refusal(of path: String) -> QueueError? {
    do throws(QueueError) {
      _ = try SQLiteStore(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a file of another kind is refused",
    arguments: ["text", String(repeating: "no database at all ", count: 100)])
  func noDatabase(content: String) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array(content.utf8), to: "notes.txt")
      #expect(
        refusal(of: path)
          == .refused("\(path) is not an SQLite database: name another file, or one that does not exist yet"))
      #expect(try Files.read(path) == Array(content.utf8))
      #expect(folder.names == ["notes.txt"])
    }
  }

  @Test("a database of another program is refused")
  func otherDatabase() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "app.db")
      try SQLiteConnection(path: path).execute("CREATE TABLE customers (name TEXT)")
      let before = try Files.read(path)
      let expected = QueueError.refused(
        "\(path) is a database of another program: name a file of its own for the queue")
      #expect(refusal(of: path) == expected)
      #expect(try Files.read(path) == before)
    }
  }

  @Test("a queue of a later version is refused")
  func later() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      _ = try SQLiteStore(path: path)
      try SQLiteConnection(path: path).execute("PRAGMA user_version = 3")
      #expect(
        refusal(of: path)
          == .refused(
            "the queue \(path) was created by a later version of push-enricher, which is needed to use it: "
              + "its layout is 3, and this version knows 2"))
    }
  }

  @Test("an empty file becomes a queue")
  func empty() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([], to: "queue.db")
      #expect(refusal(of: path) == nil)
      #expect(refusal(of: path) == nil)
    }
  }

  @Test("a path that leads nowhere is refused")
  func paths() async throws {
    try await withTemporaryDirectory { folder in
      #expect(
        refusal(of: folder.path)
          == .refused("\(folder.path) is a folder: name a file in it, like \(folder.path)/push-enricher.db"))
      let missing = folder.path(of: "missing")
      #expect(
        refusal(of: "\(missing)/queue.db")
          == .refused("the folder \(missing) of the queue does not exist: create it, or name another"))
      let file = try folder.write([1], to: "file")
      #expect(
        refusal(of: "\(file)/queue.db")
          == .refused("the queue \(file)/queue.db cannot exist: \(file) is not a folder"))
    }
  }

  @Test("a file without access rights is refused")
  func rights() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let path = folder.path(of: "queue.db")
        let closed = folder.path(of: "closed.db")
        for path in [path, closed] { _ = try SQLiteStore(path: path) }
        unsafe chmod(path, 0o444)
        unsafe chmod(closed, 0)
        unsafe chmod(folder.path, 0o555)
        // Root may write everywhere; 65534 is the user nobody.
        if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
        let tests = SQLiteErrorTests()
        let rights = "let this user read and write the file and its folder"
        #expect(tests.refusal(of: closed) == .refused("the queue \(closed) cannot be opened: \(rights)"))
        #expect(tests.refusal(of: path) == .refused("the queue \(path) cannot be written: \(rights)"))
        let new = folder.path(of: "new.db")
        #expect(
          tests.refusal(of: new)
            == .refused(
              "the queue \(new) cannot be created: give this user write access to the folder \(folder.path)")
        )
        if getuid() == 0 { seteuid(0) }
        unsafe chmod(folder.path, 0o755)
      }
    }
  }

  @Test("a damaged file is refused")
  func damaged() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      do {
        let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
        try await queue.publish(0..<500)
      }
      // The file is closed once its log is gone. Before that, the log would repair the file.
      #expect(await eventually { !Files.exists("\(path)-wal") })
      // The header stays, and every page after it becomes noise.
      var bytes = try Files.read(path)
      for index in 4_096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
      try Files.write(bytes, to: path)
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      let failure = await failure { () async throws(QueueError) in
        _ = try await queue.receive(10, waitingUpTo: .zero)
      }
      #expect(
        failure
          == .refused("the queue \(path) is damaged: save what is left of it with 'sqlite3 \(path) .recover'")
      )
    }
  }

  /// A limit on the size of files simulates a full disk. SQLite takes the same path.
  @Test("a full disk is reported, and the work continues when there is space")
  func full() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        signal(SIGXFSZ, SIG_IGN)
        let path = folder.path(of: "queue.db")
        let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
        try await queue.publish(0..<3)
        var limit = rlimit(rlim_cur: 200_000, rlim_max: rlim_t.max)
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let large = Message(id: "large", body: [UInt8](repeating: 1, count: 400_000))
        let full = QueueError.unavailable(
          "no space is left for the queue \(path): free some space (workers then resume by themselves)")
        for _ in 0..<2 {
          #expect(await failure { () async throws(QueueError) in try await queue.publish([large]) } == full)
        }
        // Nothing of the large message is there, and messages that fit still work.
        #expect(try await queue.contents() == ["m0", "m1", "m2"])
        try await queue.settle(queue.next(), publishing: [Publication(message(3), into: queue)])
        limit.rlim_cur = rlim_t.max
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        try await queue.publish([large])
        #expect(try await queue.contents() == ["m1", "m2", "m3", "large"])
        // Later errors have nothing to do with the disk.
        var other = try SQLiteConnection(path: path)
        try other.begin()
        let locked = QueueError.unavailable(
          "another process has been writing to the queue \(path) for 5 s: find it with 'fuser \(path)'")
        #expect(await failure { () async throws(QueueError) in try await queue.publish([4]) } == locked)
        other.rollBack()
      }
    }
  }

  @Test("a file that is moved away is reported, and the work continues when it is back")
  func moved() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish([1])
      unsafe rename(path, folder.path(of: "elsewhere.db"))
      let failure = await failure { () async throws(QueueError) in try await queue.publish([2]) }
      #expect(
        failure
          == .unavailable(
            "\(path) was moved or removed while it was in use: put it back (workers then resume by themselves)"
          ))
      unsafe rename(folder.path(of: "elsewhere.db"), path)
      try await queue.publish([3])
      #expect(try await queue.contents() == ["m1", "m3"])
    }
  }

  @Test(
    "a journal or an index that is moved away is reported, and the work continues when it is back",
    arguments: ["-wal", "-shm"])
  func movedCompanion(suffix: String) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      try await queue.publish([1])
      unsafe rename(path + suffix, folder.path(of: "elsewhere"))
      let failure = await failure { () async throws(QueueError) in try await queue.publish([2]) }
      #expect(
        failure
          == .unavailable(
            "\(path)\(suffix) was moved or removed while it was in use: put it back (workers then resume by themselves)"
          ))
      unsafe rename(folder.path(of: "elsewhere"), path + suffix)
      try await queue.publish([3])
      #expect(try await queue.contents() == ["m1", "m3"])
    }
  }

  @Test(
    "what others write to a new journal stays when a process that has lost the old one ends",
    arguments: [true, false])
  func replacedJournal(noticesIt: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      var refusal: QueueError?
      do {
        var table = try MessageTable(path: path)
        try table.transaction { (table) throws(QueueError) in try table.insert(message(1), into: "incoming") }
        for suffix in ["-wal", "-shm"] { Files.remove(path + suffix) }
        await #expect(processExitsWith: .success) { [path = path as String] in
          let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
          try await queue.publish([2])
        }
        do throws(QueueError) {
          if noticesIt { try table.transaction { (table) throws(QueueError) in try table.release("none") } }
        } catch {
          refusal = error
        }
        // Keeps it open until here.
        table.rollBack()
      }
      let expected = QueueError.refused(
        "\(path)-wal or \(path)-shm was removed while it was in use, and others use a new one: start again, and leave these files in place"
      )
      #expect(refusal == (noticesIt ? expected : nil))
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      #expect(try await queue.contents() == ["m2"])
    }
  }

  @Test("a file that another process keeps locked is reported")
  func locked() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      do {
        var other = try SQLiteConnection(path: path)
        try other.begin()
        let failure = await failure { () async throws(QueueError) in try await queue.publish([1]) }
        #expect(
          failure
            == .unavailable(
              "another process has been writing to the queue \(path) for 5 s: find it with 'fuser \(path)'"
            ))
        other.rollBack()
      }
      try await queue.publish([2])
      #expect(try await queue.contents() == ["m2"])
    }
  }
}
