internal import NIOCore

/// An answer of HTTP/2, frame by frame, and how its connection ends.
package struct HTTP2Script: Sendable, Equatable, CustomStringConvertible {
  package enum Close: Sendable {
    /// The client may go on.
    case never
    /// With close_notify.
    case notified
    /// Without.
    case abrupt
    case reset
  }

  /// What a client is to make of it.
  package enum Outcome: Sendable {
    /// The photo.
    case whole
    /// Part of a body.
    case truncated
    /// No HTTP/2.
    case invalid
    /// A connection that broke before there was an answer.
    case broken
  }

  package let name: String
  package let outcome: Outcome
  let close: Close
  /// Whether the server begins with SETTINGS, as it must (RFC 9113 section 3.4).
  let hasPreface: Bool
  private var isSlow = false
  private let content: @Sendable (_ stream: UInt32, _ photo: [UInt8]) -> [UInt8]

  init(
    _ name: String, _ outcome: Outcome, then close: Close = .never, hasPreface: Bool = true,
    _ content: @escaping @Sendable (_ stream: UInt32, _ photo: [UInt8]) -> [UInt8]
  ) {
    self.name = name
    self.outcome = outcome
    self.close = close
    self.hasPreface = hasPreface
    self.content = content
  }

  package var description: String { name }

  /// The same, each frame alone, so that a client has taken what comes before.
  package var slowly: HTTP2Script {
    var script = self
    script.isSlow = true
    return script
  }

  package static func == (one: HTTP2Script, other: HTTP2Script) -> Bool { one.name == other.name }

  func run(on stream: UInt32, photo: [UInt8], _ connection: Connection) async throws {
    var rest = bytes(on: stream, photo: photo)
    while isSlow, let frame = HTTP2Frame(from: &rest) {
      try await connection.send(frame.bytes)
      try await Task.sleep(for: .milliseconds(10))
    }
    try await connection.send(rest)
    try await end(connection)
  }

  private func bytes(on stream: UInt32, photo: [UInt8]) -> [UInt8] {
    // Those of the client are acknowledged, too: only then is it an error to break them.
    let settings = HTTP2Frame(.settings).bytes + HTTP2Frame(.settings, flags: 1).bytes
    return (hasPreface && stream == 1 ? settings : []) + content(stream, photo)
  }

  private func end(_ connection: Connection) async throws {
    switch close {
    case .never: break
    case .notified: try await connection.channel.close().get()
    case .abrupt: try await connection.closeAbruptly()
    case .reset:
      // It would overtake what the client has not read yet.
      try await Task.sleep(for: .milliseconds(50))
      try await connection.reset()
    }
  }
}

/// What scripts are made of.
extension HTTP2Script {
  static func head(_ stream: UInt32, _ block: [UInt8], isLast: Bool = false) -> [UInt8] {
    let flags = HTTP2Frame.endOfHeaders | (isLast ? HTTP2Frame.endOfStream : 0)
    return HTTP2Frame(.headers, flags: flags, stream: stream, block).bytes
  }

  /// In frames of a kilobyte.
  static func data(_ stream: UInt32, _ bytes: some Collection<UInt8>, isLast: Bool = false) -> [UInt8] {
    let bytes = Array(bytes)
    return stride(from: 0, to: max(1, bytes.count), by: 1_024).flatMap { start in
      let end = min(start + 1_024, bytes.count)
      let flags = isLast && end == bytes.count ? HTTP2Frame.endOfStream : 0
      return HTTP2Frame(.data, flags: flags, stream: stream, Array(bytes[start..<end])).bytes
    }
  }

  static func reset(_ stream: UInt32, _ code: UInt8) -> [UInt8] {
    HTTP2Frame(.reset, stream: stream, [0, 0, 0, code]).bytes
  }

  static func goAway(_ last: UInt32, _ code: UInt8) -> [UInt8] {
    HTTP2Frame(.goAway, [0, 0, 0, UInt8(truncatingIfNeeded: last), 0, 0, 0, code]).bytes
  }

  /// Status 200 and the type, perhaps with a length.
  static func photoHead(length: Int? = nil) -> [UInt8] {
    HPACK.ok + HPACK.field("content-type", "image/jpeg")
      + (length.map { HPACK.field("content-length", "\($0)") } ?? [])
  }
}
