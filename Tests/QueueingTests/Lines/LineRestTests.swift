import Queueing
import SystemPackage
import TestSupport
import Testing

/// What happens to lines that were read ahead when the worker wants no more.
@Suite("Rest of lines", .timeLimit(.minutes(5)))
struct LineRestTests {
  private func texts(_ deliveries: [Delivery]?) -> [String]? {
    deliveries?.map { String(decoding: $0.message.body, as: UTF8.self) }
  }

  /// All lines that are still handed out, each settled at once.
  private func rest(of queue: LineQueue) async throws -> [String] {
    var lines: [String] = []
    while let deliveries = try await queue.receiveRest(2, waits: true) {
      lines += texts(deliveries) ?? []
      for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
    }
    return lines
  }

  @Test("a wait for input ends with a line that is given back, or with a stop")
  func endOfWait() async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n")
      let deliveries = try #require(try await queue.receive(1, waitingUpTo: .zero))
      async let again = queue.receive(1, waitingUpTo: longEnough)
      try await Task.sleep(for: aMoment)
      try await queue.release(deliveries)
      #expect(texts(try await again) == ["1"])
      async let nothing = queue.receive(1, waitingUpTo: longEnough)
      try await Task.sleep(for: aMoment)
      await queue.stopReceiving()
      #expect(try await nothing == nil)
    }
  }

  @Test("the lines that were read from a pipe are handed out, and the others stay in it")
  func pipe() async throws {
    try await withLineQueue { queue, ends in
      try ends.write((0..<9).map { "\($0)\n" }.joined())
      let first = try #require(try await queue.receive(2, waitingUpTo: .zero))
      try ends.write("later\n")
      // The lines that were given back are among them.
      try await queue.release(first)
      #expect(try await rest(of: queue) == (0..<9).map { "\($0)" })
      #expect(try ends.unread() == "later\n")
    }
  }

  @Test("if nothing was read, nothing more is read")
  func empty() async throws {
    try await withLineQueue { queue, ends in
      #expect(try await queue.receive(1, waitingUpTo: .zero) == [])
      try ends.write("1\n")
      #expect(try await queue.receiveRest(9, waits: true) == nil)
      #expect(try ends.unread() == "1\n")
    }
  }

  @Test("a line that was partly read is read to its end, and not beyond")
  func completed() async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n2\n{\"a\"")
      #expect(texts(try await queue.receive(1, waitingUpTo: .zero)) == ["1"])
      #expect(texts(try await queue.receiveRest(9, waits: true)) == ["2"])
      #expect(try await queue.receiveRest(9, waits: true) == [])
      try ends.write(":1}\n3\n")
      #expect(texts(try await queue.receiveRest(9, waits: true)) == ["{\"a\":1}"])
      #expect(try await queue.receiveRest(9, waits: true) == nil)
      #expect(try ends.unread() == "3\n")
    }
  }

  @Test(
    "a partial line that never ends is handed out as it is if it is not waited for", arguments: [false, true])
  func givenUp(isClosed: Bool) async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n{\"a\"")
      #expect(try await queue.receive(1, waitingUpTo: .zero)?.count == 1)
      if isClosed { ends.endInput() }
      #expect(try await queue.receiveRest(9, waits: isClosed).map(texts) == ["{\"a\""])
      #expect(try await queue.receiveRest(9, waits: isClosed) == nil)
    }
  }

  @Test("the next reader of a file continues as soon as no more lines are wanted, and gets no partial line")
  func fileAtOnce() async throws {
    let long = String(repeating: "1", count: 1_500_000)
    try await withFile("0\n\(long)\n2\n3") { queue, file in
      #expect(texts(try await queue.receive(1, waitingUpTo: .zero)) == ["0"])
      let cut = try await queue.receive(1, waitingUpTo: .zero)
      #expect(cut?.map(\.message.body.count) == [1_048_576])
      await queue.stopReceiving()
      #expect(try text(file) == "2\n3")
    }
    try await withFile("1\n2\n3") { queue, file in
      let first = try await queue.receive(1, waitingUpTo: .zero)
      #expect(texts(first) == ["1"])
      await queue.stopReceiving()
      #expect(try text(file) == "2\n3")
    }
  }

  @Test("the next reader of the same descriptor starts after the lines that were handed out")
  func file() async throws {
    try await withFile("1\n\n2\n3\n4") { queue, file in
      let first = try await queue.receive(2, waitingUpTo: .zero)
      #expect(texts(first) == ["1", "2"])
      #expect(try await queue.receiveRest(9, waits: true) == nil)
      #expect(try text(file) == "3\n4")
    }
  }

  @Test("if another process has read from the file meanwhile, all lines that were read are handed out")
  func sharedFile() async throws {
    let tail = String(repeating: "x", count: 20_000)
    try await withFile("1\n2\n" + tail) { queue, file in
      try await queue.release(queue.receive(1, waitingUpTo: .zero) ?? [])
      try file.seek(offset: 16_385, from: .start)
      #expect(try await rest(of: queue) == ["1", "2", String(tail.dropLast())])
    }
  }

  private func withFile(
    _ contents: String, _ body: (LineQueue, FileDescriptor) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array(contents.utf8), to: "lines")
      let file = try FileDescriptor.open(FilePath(path), .readOnly)
      defer { try? file.close() }
      try await body(LineQueue(input: file.rawValue, output: -1), file)
    }
  }

  private func text(_ file: FileDescriptor) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 1_000)
    let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}
