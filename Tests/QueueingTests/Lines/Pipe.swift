import Glibc
@testable import Queueing
import SystemPackage

/// A queue of lines, and the other ends of its input and output.
func withLineQueue(_ body: (LineQueue, LineEnds) async throws -> Void) async throws {
  signal(SIGPIPE, SIG_IGN)
  let input = try FileDescriptor.pipe()
  let output = try FileDescriptor.pipe()
  let ends = LineEnds(input: input.writeEnd, ownInput: input.readEnd, output: output.readEnd)
  defer {
    for end in [input.readEnd, output.writeEnd] { try? end.close() }
    ends.close()
  }
  try await body(LineQueue(input: input.readEnd.rawValue, output: output.writeEnd.rawValue), ends)
}

/// What a test writes for the queue to read, and reads of what the queue has written.
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

  /// Less than a pipe holds: 64 KB.
  func write(_ text: String) throws { _ = try input.writeAll(text.utf8) }

  func endInput() { close(input) }

  func stopReading() { close(output) }

  func close() { for end in openEnds { close(end) } }

  /// What has been written so far; there has to be something.
  func read() throws -> String { try read(output) }

  /// What the queue has not read of what was written for it; there has to be something.
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
