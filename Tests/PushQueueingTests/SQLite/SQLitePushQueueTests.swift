import BuiltInQueueing
import Glibc
@testable import PushQueueing
import Queueing
import TestSupport
import Testing

/// The file of a push queue, and what happens to it.
@Suite("Push queue in SQLite", .timeLimit(.minutes(5)))
struct SQLitePushQueueTests {
  private func refusal(of path: String) -> QueueError? {
    do throws(QueueError) {
      _ = try Place(url: "sqlite:\(path)").open()
      return nil
    } catch {
      return error
    }
  }

  @Test("a file of another kind is refused, and stays as it is")
  func foreign() async throws {
    try await withTemporaryDirectory { folder in
      let text = try folder.write(Array(String(repeating: "no database ", count: 200).utf8), to: "notes.txt")
      let before = try Files.read(text)
      #expect(
        refusal(of: text)
          == .refused("\(text) is not an SQLite database: name another file, or one that does not exist yet"))
      #expect(try Files.read(text) == before)
      let queue = folder.path(of: "queue.db")
      _ = try await Queues().open("sqlite:\(queue)", defaultQueue: "incoming").browse(1)
      #expect(
        refusal(of: queue)
          == .refused("\(queue) is a database of another program: name a file of its own for the push queue"))
    }
  }

  @Test("a push queue of a later version is refused, and no message queue opens one")
  func later() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "push-queue.db")
      #expect(refusal(of: path) == nil)
      #expect(
        throws: QueueError.refused(
          "\(path) is a database of another program: name a file of its own for the queue")
      ) {
        _ = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      }
      try SQLiteConnection(path: path).execute("PRAGMA user_version = 2")
      #expect(
        refusal(of: path)
          == .refused(
            "the push queue \(path) was created by a later version of push-enricher, which is needed to use it: "
              + "its layout is 2, and this version knows 1"))
    }
  }

  @Test("damaged contents are an error, and end no process")
  func damaged() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "push-queue.db")
      let queue = try Place(url: "sqlite:\(path)").open()
      try await queue.accept(["a", "b", "c"])
      _ = try await queue.ask(3, 1, at: start)
      let damaged = QueueError.refused(
        "the push queue \(path) is damaged: save what is left of it with 'sqlite3 \(path) .recover'")
      try SQLiteConnection(path: path).execute("UPDATE push SET content = x'ff'")
      await #expect(throws: damaged) { _ = try await queue.takeAsked(1, at: start) }
      for log in [
        "x''", "x'01'", "zeroblob(53)", "substr(log, 1, length(log) - 1)",
        "CAST(x'02' || substr(log, 2) AS BLOB)",
      ] {
        try SQLiteConnection(path: path).execute(
          "CREATE TABLE whole AS SELECT * FROM device; UPDATE device SET log = \(log)")
        await #expect(throws: damaged) { _ = try await queue.assign([offer("d")], at: start) }
        try SQLiteConnection(path: path).execute(
          "UPDATE device SET log = (SELECT log FROM whole); DROP TABLE whole")
      }
      #expect(try await queue.assign([offer("d")], at: start) == [position(4)])
      try Files.write([UInt8](repeating: 0xAA, count: 40_000), to: path)
      Files.remove("\(path)-wal")
      #expect(
        refusal(of: path)
          == .refused("\(path) is not an SQLite database: name another file, or one that does not exist yet"))
    }
  }

  @Test("a file that was moved away is not used any more")
  func moved() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "push-queue.db")
      let queue = try Place(url: "sqlite:\(path)").open()
      try await queue.accept(["a"])
      unsafe rename(path, path + ".old")
      await #expect(
        throws: QueueError.unavailable(
          "\(path) was moved or removed while it was in use: put it back (workers then resume by themselves)")
      ) { _ = try await queue.assign([offer("b")], at: start) }
      unsafe rename(path + ".old", path)
      #expect(try await queue.assign([offer("b")], at: start) == [position(2)])
    }
  }

  @Test("devices with the same hash stay apart")
  func sameHash() async throws {
    try await withTemporaryDirectory { folder in
      var table = try PushTable(path: folder.path(of: "push-queue.db"))
      let devices = (0..<9).map { AppDevice(app: "app", device: "\($0)") }
      func assign(_ device: AppDevice, _ message: UInt64) throws(QueueError) -> Int64? {
        try table.begin()
        defer { table.rollBack() }
        let positions = try table.update([device], keys: [64]) { _, change in
          let hashes = (message: MessageHash(high: message, low: 0), collapse: 0 as UInt64)
          return change.assign(offer("", to: device), hashes: hashes, keep: 100, at: start).position
        }
        try table.commit()
        return positions.first
      }
      for message in 1...3 as ClosedRange<UInt64> {
        for device in devices.prefix(8) { #expect(try assign(device, message) == Int64(message)) }
      }
      #expect(throws: QueueError.self) { _ = try assign(devices[8], 1) }
      #expect(try assign(devices[0], 2) == 2)
    }
  }

  /// Each process assigns positions, notes answers and asks for pushes, until it is killed.
  @Test("a killed process leaves nothing half done", arguments: 0..<6)
  func killed(round: Int) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "push-queue.db")
      for turn in 0..<3 {
        let delay = 10 + round * 13 + turn * 17
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
          Task.detached {
            try await Task.sleep(for: .milliseconds(delay))
            kill(getpid(), SIGKILL)
          }
          let queue = try Place(url: "sqlite:\(path)").open(keep: 10)
          for number in 0..<1_000_000 {
            let device = AppDevice(app: "app", device: "\(number % 3)")
            let given = try await queue.assign(
              (0..<4).map { offer("\(delay)-\(number)-\($0)", to: device) }, at: start)
            try await queue.note(given.map { NotedAnswer($0, .accepted) }, at: start)
          }
        }
      }
      _ = try Place(url: "sqlite:\(path)").open()
      var connection = try SQLiteConnection(path: path)
      #expect(try connection.value("PRAGMA integrity_check") == "ok")
      let logs = try connection.rows("SELECT log FROM device") { DeviceLog($0.bytes(0)) }
      #expect(!logs.contains(nil))
      let kept = logs.compactMap(\.self)
      #expect(
        kept.allSatisfy { log in
          let positions = log.pushes.indices.map(log.pushes.position(at:))
          // Pushes without an answer are kept.
          let older = log.pushes.indices.filter { positions[$0] < log.last - 9 }
          return positions.suffix(10) == Array(max(1, log.last - 9)...log.last)[...]
            && older.allSatisfy { log.pushes[$0].answer == .none }
        })
      let rows = try connection.rows("SELECT number FROM push ORDER BY number") { $0.integer(0) }
      #expect(rows == kept.flatMap { log in log.pushes.indices.map { log.pushes[$0].number } }.sorted())
      let contents = "SELECT coalesce(sum(length(content) + 64), 0) FROM push"
      #expect(try connection.value("SELECT bytes - (\(contents)) FROM size") == "0")
      let sum = try connection.value("SELECT coalesce(sum(n), 0) FROM count WHERE what = 0")
      #expect(sum == "\(kept.reduce(0) { $0 + $1.last })")
      let accepted =
        try connection.value("SELECT sum(n) FROM count WHERE what = 2").flatMap { Int64($0) } ?? 0
      #expect(0...12 ~= kept.reduce(0) { $0 + $1.last } - accepted)
    }
  }
}
