import Glibc
import Notifications
import Synchronization
import TestSupport
import Testing

/// The pair of pipes to a browser. Messages are JSON, each followed by a zero byte.
final class DevToolsLine: Sendable {
  private struct State {
    var number = 0
    /// The bytes after the last complete message.
    var rest: [UInt8] = []
    var answers: [Int: JSONDocument] = [:]
    var events: [JSONDocument] = []
  }

  private let state = Mutex(State())
  private let commands: Int32
  private let messages: Int32

  /// Makes `commands` and `messages` in a folder. Both are opened for reading and writing, which
  /// does not block (fifo(7)).
  init(_ folder: TemporaryDirectory) throws {
    for name in ["commands", "messages"] { #expect(unsafe mkfifo(folder.path(of: name), 0o600) == 0) }
    commands = unsafe open(folder.path(of: "commands"), O_RDWR | O_CLOEXEC)
    messages = unsafe open(folder.path(of: "messages"), O_RDWR | O_CLOEXEC | O_NONBLOCK)
    try #require(commands >= 0 && messages >= 0)
  }

  deinit {
    close(commands)
    close(messages)
  }

  /// Sends a message, which must fit into a pipe.
  /// - Returns: the number of the message.
  func send(_ message: (Int) -> String) -> Int {
    let number = state.withLock {
      $0.number += 1
      return $0.number
    }
    let bytes = Array(message(number).utf8) + [0]
    #expect(unsafe write(commands, bytes, bytes.count) == bytes.count)
    return number
  }

  /// The messages so far that are not answers.
  var events: [JSONDocument] {
    receive()
    return state.withLock { $0.events }
  }

  func hasAnswer(to number: Int) -> Bool {
    receive()
    return state.withLock { $0.answers[number] != nil }
  }

  func takeAnswer(to number: Int) -> JSONDocument? {
    state.withLock { $0.answers.removeValue(forKey: number) }
  }

  private func receive() {
    state.withLock { state in
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = unsafe read(messages, &piece, piece.count)
        guard count > 0 else { break }
        state.rest += piece.prefix(count)
      }
      while let end = state.rest.firstIndex(of: 0) {
        let message = Array(state.rest[..<end])
        state.rest.removeSubrange(...end)
        guard let document = try? JSONDocument(message, maximumLength: 1 << 26) else { continue }
        if let number = document.root["id"]?.integer {
          state.answers[number] = document
        } else {
          state.events.append(document)
        }
      }
    }
  }
}
