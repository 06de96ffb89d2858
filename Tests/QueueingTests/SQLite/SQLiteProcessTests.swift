import BuiltInQueueing
import Glibc
import Queueing
import TestSupport
import Testing

/// Several processes with one file, and what is left when one of them is killed.
@Suite("SQLite: processes", .timeLimit(.minutes(5)))
struct SQLiteProcessTests {
  @Test("processes share the work, and no message is settled twice")
  func sharing() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let numbers = 0..<600
      try await Queues().open("sqlite:\(path)", defaultQueue: "incoming").publish(numbers)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            await #expect(processExitsWith: .success) { [path = path as String] in
              try await work(through: path)
            }
          }
        }
      }
      let queues = Queues()
      let results = try queues.open("sqlite:\(path)?queue=enriched", defaultQueue: "x")
      #expect(try await results.contents().sorted() == numbers.map { "m\($0)" }.sorted())
      #expect(try await queues.open("sqlite:\(path)", defaultQueue: "incoming").contents() == [])
    }
  }

  @Test("several processes can create a file at once")
  func making() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await #expect(processExitsWith: .success) { [path = path as String] in
              let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
              try await queue.publish(0..<10)
            }
          }
        }
      }
      let queue = try Queues().open("sqlite:\(path)", defaultQueue: "incoming")
      #expect(try await queue.contents().count == 40)
    }
  }

  /// Each worker settles some messages, is killed, and leaves the rest to the next one.
  @Test("a killed process loses and duplicates nothing", arguments: 0..<5)
  func killed(round: Int) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let numbers = 0..<600
      try await Queues().open("sqlite:\(path)", defaultQueue: "incoming").publish(numbers)
      for turn in 0..<4 {
        // The delays reach from the first transaction to well into the work.
        let delay = 1 + round * 3 + turn * turn * 7
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
          Task.detached {
            try await Task.sleep(for: .milliseconds(delay))
            kill(getpid(), SIGKILL)
          }
          try await work(through: path)
          try await Task.sleep(for: longEnough)
        }
      }
      try await work(through: path)
      let results = try Queues().open("sqlite:\(path)?queue=enriched", defaultQueue: "x")
      #expect(try await results.contents().sorted() == numbers.map { "m\($0)" }.sorted())
      #expect(try await Set(results.browse(1_000).map(\.body)).count == numbers.count)
    }
  }
}

/// Settles all messages into `enriched`, sixteen at a time, until nothing is left.
private func work(through path: String) async throws {
  let queues = Queues()
  let source = try queues.open("sqlite:\(path)", defaultQueue: "incoming")
  let target = try queues.open("sqlite:\(path)?queue=enriched", defaultQueue: "x")
  while try await !source.browse(1).isEmpty {
    let deliveries = try await source.receive(16, waitingUpTo: .milliseconds(50)) ?? []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for delivery in deliveries {
        group.addTask {
          try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        }
      }
      try await group.waitForAll()
    }
  }
}
