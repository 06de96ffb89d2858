import Glibc
@testable import Queueing
import SystemPackage

/// Runs `body` with a queue of lines and the other ends of its input and output.
func withLineQueue(
  _ format: LineFormat = .payloads, _ body: (LineQueue, LineEnds) async throws -> Void
) async throws {
  signal(SIGPIPE, SIG_IGN)
  let input = try FileDescriptor.pipe()
  let output = try FileDescriptor.pipe()
  let ends = LineEnds(input: input.writeEnd, ownInput: input.readEnd, output: output.readEnd)
  defer {
    for end in [input.readEnd, output.writeEnd] { try? end.close() }
    ends.close()
  }
  try await body(
    LineQueue(input: input.readEnd.rawValue, output: output.writeEnd.rawValue, format: format), ends)
}

/// Writes what the queue reads, and reads what the queue has written.
final class LineEnds {
  private let input: FileDescriptor
  private let ownInput: FileDescriptor
  private let output: FileDescriptor
  private var openEnds: [FileDescriptor]

  init(input: FileDescriptor, ownInput: FileDescriptor, output: FileDescriptor) {
    self.input = input
    self.ownInput = ownInput
    self.output = output
    openEnds = [input, output]
  }

  /// Writes less than a pipe holds, which is 64 KB.
  func write(_ text: String) throws { _ = try input.writeAll(text.utf8) }

  func endInput() { close(input) }

  func stopReading() { close(output) }

  func close() { for end in openEnds { close(end) } }

  /// The output of the queue so far. There has to be some.
  func read() throws -> String { try read(output) }

  /// The input that the queue has not read. There has to be some.
  func unread() throws -> String { try read(ownInput) }

  private func read(_ end: FileDescriptor) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try end.read(into: $0) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  private func close(_ end: FileDescriptor) {
    guard openEnds.contains(end) else { return }
    openEnds.removeAll { $0 == end }
    try? end.close()
  }
}
