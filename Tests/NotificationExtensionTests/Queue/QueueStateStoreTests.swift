import Foundation
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("The stored state of the push queue", .timeLimit(.minutes(5))) struct QueueStateStoreTests {
  private static func receive(_ position: UInt64) -> @Sendable (inout QueueState) -> QueueDecision {
    { state in
      let mark = QueueMark(position: position, epoch: 7, deviceHash: "d", ticket: "t\(position)")
      return state.receive(mark, device: "d") { $0 }
    }
  }

  private static func withStore(_ body: (FileStateStore, TemporaryDirectory) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await body(FileStateStore(directory: URL(fileURLWithPath: folder.path)), folder)
    }
  }

  private static func conforms(_ store: any QueueStateStore, _ again: any QueueStateStore) async throws {
    #expect(try await store.update { $0 } == QueueState())
    #expect(try await store.update(receive(4)) == .show)
    #expect(try await again.update(receive(6)) == .ask(last: 6, count: 1, lost: 0, ticket: "t6"))
    let state = try await store.update { $0 }
    #expect(state.last == 6 && state.seen == 0b101 && state.ticket == "t6" && state.device == "d")
    // Each position arrives once, in any order, and in a task of its own.
    let missed = try await withThrowingTaskGroup(of: QueueDecision.self) { group in
      for position in 7...106 { group.addTask { try await store.update(receive(UInt64(position))) } }
      return try await group.reduce(0) { sum, decision in
        switch decision {
        case .show: sum
        case .ask(_, let count, _, _), .summary(let count): sum + Int(count)
        }
      }
    }
    // A position may be counted twice: when it is asked for, and in a summary if it arrives after 53 later
    // ones.
    #expect(missed <= 2 * 99)
    #expect(try await again.update { $0.last } == 106)
    #expect(try await again.update { $0.seen } == .max)
  }

  @Test("is the same in memory and in a file") func conformance() async throws {
    let memory = MemoryStateStore()
    try await Self.conforms(memory, memory)
    try await Self.withStore { _, folder in
      let directory = URL(fileURLWithPath: folder.path)
      // On a busy machine, the last of a hundred may wait for seconds.
      let stores = (0..<2).map { _ in FileStateStore(directory: directory, patience: .seconds(60)) }
      try await Self.conforms(stores[0], stores[1])
      #expect(folder.names == ["push-queue.json", "push-queue.lock"])
    }
  }

  @Test("is changed by one extension at a time") func exclusive() async throws {
    try await Self.withStore { _, folder in
      // On a busy machine, the last of fifty may wait for seconds.
      let store = FileStateStore(directory: URL(fileURLWithPath: folder.path), patience: .seconds(60))
      try await withThrowingTaskGroup { group in
        for _ in 0..<50 { group.addTask { try await store.update { $0.summarize(1) } } }
        try await group.waitForAll()
      }
      #expect(try await store.update { $0.summarized } == 50)
    }
  }

  @Test("waits for the lock of another process, but not for long") func lock() async throws {
    try await Self.withStore { _, folder in
      let lock = try folder.write([], to: "push-queue.lock")
      let holding = "echo > \(lock).taken; until [ -e \(lock).free ]; do sleep 0.1; done"
      let other = Task { try await Command("flock").run([lock, "sh", "-c", holding]) }
      #expect(await eventually { folder.names.contains("push-queue.lock.taken") })
      func store(_ patience: Duration) -> FileStateStore {
        FileStateStore(directory: URL(fileURLWithPath: folder.path), patience: patience)
      }
      await #expect(throws: FileStateStore.Failure.locked) {
        try await store(.milliseconds(50)).update(Self.receive(1))
      }
      let patient = Task { try await store(.seconds(60)).update(Self.receive(1)) }
      try folder.write([], to: "push-queue.lock.free")
      #expect(try await patient.value == .show)
      #expect(try await other.value.exitStatus == 0)
    }
  }

  @Test(
    "begins again if the file is damaged",
    arguments: [
      "", "{", "[]", "\u{0}\u{0}\u{0}", String(repeating: "x", count: 100_000),
      #"{"device":"d","epoch":7,"last":18446744073709551615,"seen":1,"ticket":"t","settled":0,"summarized":0}"#,
      #"{"device":"d","epoch":7,"last":-4,"seen":1,"ticket":"t","settled":0,"summarized":0}"#,
      #"{"device":"d","epoch":7,"last":4,"seen":1,"ticket":"a\r\nb","settled":0,"summarized":0}"#,
    ])
  func damaged(content: String) async throws {
    try await Self.withStore { store, folder in
      try folder.write(Array(content.utf8), to: "push-queue.json")
      #expect(try await store.update { $0 } == QueueState())
      #expect(try await store.update(Self.receive(9)) == .show)
      #expect(try await store.update(Self.receive(11)) == .ask(last: 11, count: 1, lost: 0, ticket: "t11"))
    }
  }

  @Test("is not lost if the file cannot be read or written now") func unreadable() async throws {
    try await Self.withStore { store, folder in
      // A folder can be neither read nor replaced, not even by root.
      try await Command("mkdir").runSuccessfully([folder.path(of: "push-queue.json")])
      await #expect(throws: FileStateStore.Failure.cannotRead) { try await store.update(Self.receive(1)) }
      let nowhere = FileStateStore(directory: URL(fileURLWithPath: folder.path(of: "missing")))
      await #expect(throws: FileStateStore.Failure.cannotLock(ENOENT)) {
        try await nowhere.update(Self.receive(1))
      }
    }
  }
}
