/// How an `HTTP2Server` treats a request: a row for each way to turn HTTP/2 against a client.
package struct HTTP2Behaviour: Equatable, Sendable, CustomStringConvertible {
  /// Makes the frames of a stream from the requested photo.
  package typealias Content = @Sendable (_ stream: UInt32, _ photo: [UInt8]) -> [UInt8]

  /// How the server ends the connection: never, with close_notify, without it, or with a reset.
  package enum Close: Sendable { case never, notified, abrupt, reset }

  package let name: String
  /// Whether the server begins with SETTINGS, as it must (RFC 9113 section 3.4).
  private let hasPreface: Bool
  private let content: Content
  private let close: Close
  /// Makes the bytes that are then sent over and over.
  let flood: (@Sendable (_ stream: UInt32) -> [UInt8])?
  /// Whether the server floods only clients that have answered its PING.
  let waitsForPong: Bool
  /// Whether the server keeps reading after the first request.
  let reads: Bool
  private var isSlow = false

  package init(
    _ name: String, then close: Close = .never, hasPreface: Bool = true, waitsForPong: Bool = false,
    reads: Bool = true, flood: (@Sendable (_ stream: UInt32) -> [UInt8])? = nil, _ content: @escaping Content
  ) {
    self.name = name
    self.hasPreface = hasPreface
    self.content = content
    self.close = close
    self.flood = flood
    self.waitsForPong = waitsForPong
    self.reads = reads
  }

  package var description: String { name }

  /// This behaviour with each frame sent alone, so that the client has handled the ones before it.
  package var slowly: HTTP2Behaviour {
    var slow = self
    slow.isSlow = true
    return slow
  }

  package static func == (one: HTTP2Behaviour, other: HTTP2Behaviour) -> Bool { one.name == other.name }

  func answer(on stream: UInt32, photo: [UInt8], _ connection: Connection) async throws {
    // Also acknowledges the client's settings. Before that, breaking them is not an error.
    let settings = Self.frame(.settings) + Self.frame(.settings, flags: 1)
    var rest = (hasPreface && stream == 1 ? settings : []) + content(stream, photo)
    while isSlow, let frame = HTTP2Frame(from: &rest) {
      try await connection.send(frame.bytes)
      try await Task.sleep(for: .milliseconds(10))
    }
    try await connection.send(rest)
    switch close {
    case .never: break
    case .notified: try await connection.close()
    case .abrupt: try await connection.closeAbruptly()
    case .reset: try await connection.resetLater()
    }
  }
}
