import BuiltInQueueing
import Glibc
@testable import Queueing
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("LineQueue", .timeLimit(.minutes(5)))
struct LineQueueTests {
  private func bodies(_ deliveries: [Delivery]?) -> [String]? {
    deliveries?.map { String(decoding: $0.message.body, as: UTF8.self) }
  }

  @Test("each line is a payload, empty lines are skipped, and the last one needs no line break")
  func lines() async throws {
    try await withLineQueue { queue, ends in
      try ends.write("{\"a\":1}\n\n  \t\r\n{\"b\":2}\r\n{\"c\":")
      #expect(bodies(try await queue.receive(10, waitingUpTo: .zero)) == ["{\"a\":1}", "{\"b\":2}\r"])
      #expect(bodies(try await queue.receive(10, waitingUpTo: .zero)) == [])
      try ends.write("3}")
      ends.endInput()
      #expect(bodies(try await queue.receive(10, waitingUpTo: longEnough)) == ["{\"c\":3}"])
      #expect(try await queue.receive(10, waitingUpTo: longEnough) == nil)
      #expect(try await queue.receive(10, waitingUpTo: .zero) == nil)
    }
  }

  @Test("no more lines come than asked for, and each has its own id")
  func limit() async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n1\n1\n")
      let deliveries = try #require(try await queue.receive(2, waitingUpTo: .zero))
      #expect(bodies(deliveries) == ["1", "1"])
      #expect(Set(deliveries.map(\.message.id)).count == 2)
      #expect(deliveries.map(\.attempt) == [1, 1])
      #expect(try await queue.receive(0, waitingUpTo: .zero) == [])
      ends.endInput()
      #expect(try await queue.receive(0, waitingUpTo: .zero) == [])
      #expect(bodies(try await queue.receive(2, waitingUpTo: .zero)) == ["1"])
    }
  }

  @Test("a queue waits for input")
  func waiting() async throws {
    try await withLineQueue { queue, ends in
      #expect(try await queue.receive(1, waitingUpTo: aMoment) == [])
      async let received = queue.receive(1, waitingUpTo: longEnough)
      try await Task.sleep(for: aMoment)
      try ends.write("late\n")
      #expect(bodies(try await received) == ["late"])
    }
  }

  @Test("results come out in the order of the lines, in whatever order they are settled")
  func order() async throws {
    try await withLineQueue { queue, ends in
      try ends.write((0..<40).map { "\($0)\n" }.joined())
      let deliveries = try #require(try await queue.receive(40, waitingUpTo: .zero))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for delivery in deliveries.reversed() {
          group.addTask {
            try await queue.settle(delivery, publishing: [Publication(delivery.message, into: queue)])
          }
        }
        try await group.waitForAll()
      }
      #expect(try ends.read() == (0..<40).map { "\($0)\n" }.joined())
    }
  }

  @Test("a result waits for the ones before it, but not forever")
  func turns() async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n2\n3\n")
      let deliveries = try #require(try await queue.receive(3, waitingUpTo: .zero))
      let settle = { @Sendable (delivery: Delivery) async -> QueueError? in
        await failure { () async throws(QueueError) in
          try await queue.settle(delivery, publishing: [Publication(delivery.message, into: queue)])
        }
      }
      let third = Task { await settle(deliveries[2]) }
      try await Task.sleep(for: aMoment)
      third.cancel()
      #expect(await third.value == .unavailable("the result of line 3 waits for those before it"))
      // The first one is given back, so the ones after it need not wait.
      try await queue.release([deliveries[0]])
      #expect(await settle(deliveries[1]) == nil)
      #expect(await settle(deliveries[2]) == nil)
      #expect(await settle(deliveries[2]) == .leaseLost(id: deliveries[2].message.id))
      #expect(try ends.read() == "2\n3\n")
      let again = try await queue.next()
      #expect(again == deliveries[0])
      #expect(await settle(again) == nil)
      #expect(try ends.read() == "1\n")
    }
  }

  @Test("a result that cannot be written can be settled later, and comes before later ones")
  func retried() async throws {
    try await withLineQueue { queue, ends in
      try await withTemporaryDirectory { folder in
        let target = try Queues().open("sqlite:\(folder.path(of: "queue.db"))", defaultQueue: "x")
        try ends.write("1\n2\n")
        let deliveries = try #require(try await queue.receive(2, waitingUpTo: .zero))
        let away = "\(folder.path)-away"
        unsafe rename(folder.path(of: "queue.db"), away)
        defer { Files.remove(away) }
        let second = Task {
          try await queue.settle(deliveries[1], publishing: [Publication(message(2), into: target)])
        }
        let failure = await failure { () async throws(QueueError) in
          try await queue.settle(deliveries[0], publishing: [Publication(message(1), into: target)])
        }
        #expect(failure != nil)
        unsafe rename(away, folder.path(of: "queue.db"))
        try await queue.settle(deliveries[0], publishing: [Publication(message(1), into: target)])
        #expect(try await second.value == .sent)
        #expect(try await target.contents() == ["m1", "m2"])
      }
    }
  }

  @Test("each of the publications that go together gets its result", arguments: [false, true])
  func together(isRead: Bool) async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n2\n3\n")
      let deliveries = try #require(try await queue.receive(3, waitingUpTo: .zero))
      let publications = deliveries.map { Publication($0.message, into: queue) }
      if !isRead { ends.stopReading() }
      var others: [Task<Void, Never>] = []
      for number in [1, 2] {
        others.append(
          Task { _ = try? await queue.settle(deliveries[number], publishing: [publications[number]]) })
        #expect(try await eventually { await isWaiting(deliveries[number], in: queue) })
      }
      _ = try? await queue.settle(deliveries[0], publishing: [publications[0]])
      for other in others { await other.value }
      for publication in publications {
        #expect(publication.isConfirmed == isRead)
        #expect(publication.takeFailure() == !isRead)
      }
    }
  }

  /// Whether `delivery` is being settled already. Then a settlement that does not wait fails with `leaseLost`.
  private func isWaiting(_ delivery: Delivery, in queue: LineQueue) async -> Bool {
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await failure { () async throws(QueueError) in try await queue.settle(delivery, publishing: []) }
    }
    return await task.value == .leaseLost(id: delivery.message.id)
  }

  @Test("long lines are whole up to 1 MB, cut beyond that, and not all held at once")
  func long() async throws {
    try await withTemporaryDirectory { folder in
      let lengths = [16_385, 1_048_576, 3_000_000, 10, 1_048_577, 20]
      let bytes = lengths.enumerated().flatMap {
        [UInt8](repeating: UInt8(97 + $0.offset), count: $0.element) + [10] as [UInt8]
      }
      let path = try folder.write(bytes, to: "lines")
      let file = try FileDescriptor.open(FilePath(path), .readOnly)
      defer { try? file.close() }
      let queue = LineQueue(input: file.rawValue, output: -1)
      var received: [[UInt8]] = []
      while let deliveries = try await queue.receive(64, waitingUpTo: .zero) {
        #expect(deliveries.map(\.message.body.count).reduce(0, +) <= 2_097_152)
        // The queue hands out no more large lines while these are in flight.
        for delivery in deliveries {
          received.append(delivery.message.body)
          try await queue.settle(delivery, publishing: [])
        }
      }
      #expect(
        received
          == [16_385, 1_048_576, 1_048_576, 10, 1_048_576, 20].enumerated().map { index, length in
            [UInt8](repeating: UInt8(97 + index), count: length)
          })
    }
  }

  @Test("as many lines are handed out as are wanted, in several batches if they are long")
  func many() async throws {
    try await withTemporaryDirectory { folder in
      let line = String(repeating: "a", count: 4_095) + "\n"
      let path = try folder.write(Array(String(repeating: line, count: 600).utf8), to: "lines")
      let file = try FileDescriptor.open(FilePath(path), .readOnly)
      defer { try? file.close() }
      let queue = LineQueue(input: file.rawValue, output: -1)
      var count = 0
      while let deliveries = try await queue.receive(600, waitingUpTo: .zero), !deliveries.isEmpty {
        #expect(deliveries.map(\.message.body.count).reduce(0, +) <= 528_384)
        count += deliveries.count
      }
      #expect(count == 600)
    }
  }

  @Test("line breaks between the values of a payload become spaces, and the rest stays")
  func output() async throws {
    try await withLineQueue { queue, ends in
      let bodies = ["{\n  \"a\": 1\n}", "{\"b\":\"x\\ny\"}", "{\"c\":1}\r", "Ünï \0"]
      try await queue.publish(bodies.map { Message(body: Array($0.utf8)) })
      #expect(try ends.read() == "{   \"a\": 1 }\n{\"b\":\"x\\ny\"}\n{\"c\":1}\r\nÜnï \0\n")
    }
  }

  @Test("a full pipe is waited on")
  func backPressure() async throws {
    try await withLineQueue { queue, ends in
      let body = [UInt8](repeating: 97, count: 100_000)
      async let published: Void = queue.publish([Message(body: body), Message(body: body)])
      var read = ""
      while read.utf8.count < 200_002 { read += try ends.read() }
      try await published
      let line = String(decoding: body, as: UTF8.self) + "\n"
      #expect(read == line + line)
    }
  }

  @Test("pipes without a reader or a writer, and browsing, are refused with an error")
  func ends() async throws {
    try await withLineQueue { queue, ends in
      ends.stopReading()
      let failure1 = await failure { () async throws(QueueError) in try await queue.publish([1].map(message))
      }
      #expect(failure1 == .refused("the reader of stdout has gone"))
      let failure2 = await failure { () async throws(QueueError) in _ = try await queue.browse(1) }
      #expect(
        failure2
          == .refused(
            "lines cannot be looked at without taking them: use a queue in a file, like sqlite:push-enricher.db"
          ))
    }
    let closed = LineQueue(input: -1, output: -1)
    let failure3 = await failure { () async throws(QueueError) in try await closed.publish([message(1)]) }
    #expect(failure3 == .refused("lines cannot be written: stdout is closed"))
    let folder = try FileDescriptor.open(FilePath("/"), .readOnly)
    defer { try? folder.close() }
    let wrong = LineQueue(input: folder.rawValue, output: -1)
    let failure4 = await failure { () async throws(QueueError) in
      _ = try await wrong.receive(1, waitingUpTo: .zero)
    }
    #expect(failure4 == .refused("lines cannot be read: Is a directory"))
  }

  @Test("lines that were read before the input broke are handed out, and the error is still reported")
  func brokenInput() async throws {
    var sockets: [Int32] = [0, 0]
    let stream = Int32(SOCK_STREAM.rawValue)
    #expect(unsafe socketpair(AF_UNIX, stream, 0, &sockets) == 0)
    let (ours, theirs) = (FileDescriptor(rawValue: sockets[0]), FileDescriptor(rawValue: sockets[1]))
    defer { try? ours.close() }
    _ = try theirs.writeAll("1\n2\n3".utf8)
    // Closing a socket with unread data resets the connection.
    _ = try ours.writeAll("unread".utf8)
    try theirs.close()
    let queue = LineQueue(input: ours.rawValue, output: -1)
    let deliveries = try #require(try await queue.receive(9, waitingUpTo: .zero))
    #expect(deliveries.map { String(decoding: $0.message.body, as: UTF8.self) } == ["1", "2"])
    for _ in 0..<2 {
      let failure = await failure { () async throws(QueueError) in
        _ = try await queue.receive(9, waitingUpTo: .zero)
      }
      #expect(failure == .refused("lines cannot be read: Connection reset by peer"))
    }
    try await queue.release(deliveries)
    #expect(try await queue.receive(9, waitingUpTo: .zero)?.map(\.message) == deliveries.map(\.message))
  }

  /// A limit on the size of files simulates a full disk. The code takes the same path.
  @Test("a full disk leaves no part of a line behind", arguments: [false, true])
  func full(isAppending: Bool) async throws {
    await #expect(processExitsWith: .success) { [isAppending = isAppending as Bool] in
      try await withTemporaryDirectory { folder in
        signal(SIGXFSZ, SIG_IGN)
        let path = try folder.write(Array("before\n".utf8), to: "lines")
        let file = try FileDescriptor.open(FilePath(path), .readWrite, options: isAppending ? .append : [])
        if !isAppending { try file.seek(offset: 0, from: .end) }
        let queue = LineQueue(input: -1, output: file.rawValue)
        try await queue.publish([message(1)])
        var limit = rlimit(rlim_cur: 50, rlim_max: rlim_t.max)
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let messages = (2..<12).map { message($0) }
        let failure = await failure { () async throws(QueueError) in try await queue.publish(messages) }
        let text = "no space is left for the lines: free some space (workers then resume by themselves)"
        #expect(failure == .unavailable(text))
        #expect(try String(decoding: Files.read(path), as: UTF8.self) == "before\n{\"n\":1}\n")
        limit.rlim_cur = rlim_t.max
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        try await queue.publish(messages)
        let lines = (1..<12).map { "{\"n\":\($0)}\n" }.joined()
        #expect(try String(decoding: Files.read(path), as: UTF8.self) == "before\n" + lines)
        try file.close()
      }
    }
  }
}
