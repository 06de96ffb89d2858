internal import Glibc
package import Queueing
internal import Supporting
internal import Synchronization

/// The keys of tickets, from a file of one or two lines. The first key makes tickets. Tickets of the second
/// key are also valid, so that the key can be replaced. The file is read again when it changes.
package final class TicketKeys: Sendable {
  private struct State {
    var keys: [[UInt8]]
    /// The stamp of the file when it was last read, whether it could be used or not.
    var stamp: FileStamp?
    var nextLook = MonotonicTime.now
    var warn: @Sendable (String) -> Void = { _ in }
  }

  /// In bytes.
  private static let leastKey = 16
  private static let ticketBytes = 16

  /// The path of the key file, which may be replaced.
  package let path: String
  private let state: Mutex<State>

  /// - Throws: `QueueError.refused` if the file is not valid.
  package init(path: String) throws(QueueError) {
    self.path = path
    let stamp = FileStamp(of: path)
    state = Mutex(State(keys: try Self.read(path), stamp: stamp))
  }

  /// - Parameter tell: called when a changed file cannot be used.
  package func warn(with tell: @escaping @Sendable (String) -> Void) { state.withLock { $0.warn = tell } }

  /// The first 16 bytes of an HMAC-SHA256 (RFC 2104), in base64url: 22 characters.
  package func ticket(for position: QueuePosition) -> String {
    Self.ticket(for: position, with: current.first ?? [])
  }

  /// Takes equally long for a ticket that is almost right and one that is all wrong.
  package func isValid(_ ticket: String, for position: QueuePosition) -> Bool {
    current.contains { key in
      let right = Self.ticket(for: position, with: key)
      // If OpenSSL has no memory, `right` is empty, and an empty ticket must not be valid.
      guard !right.isEmpty, ticket.utf8.count == right.utf8.count else { return false }
      return zip(ticket.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  private static func ticket(for position: QueuePosition, with key: [UInt8]) -> String {
    let text = "\(position.device.app)\0\(position.device.device)\0\(position.epoch)\0\(position.position)"
    let code = SHA256.hmac(of: text, key: key) ?? []
    return BaseEncoding.base64URL.encode(Array(code.prefix(ticketBytes)).span)
  }

  /// Checks the file once a second. If it can no longer be used, the keys stay as they were.
  private var current: [[UInt8]] {
    state.withLock { state in
      let now = MonotonicTime.now
      guard now >= state.nextLook else { return state.keys }
      state.nextLook = now + .seconds(1)
      let stamp = FileStamp(of: path)
      let hasChanged = stamp != state.stamp
      guard hasChanged || stamp?.isSettled != true else { return state.keys }
      state.stamp = stamp
      do throws(QueueError) { state.keys = try Self.read(path) } catch {
        if hasChanged { state.warn("the old keys of tickets stay in use: \(error)") }
      }
      return state.keys
    }
  }

  private static func read(_ path: String) throws(QueueError) -> [[UInt8]] {
    let name = "the ticket key file \(path)"
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    defer { close(file) }
    let make = "openssl rand -hex 32 > \(path.shellQuoted) makes one"
    guard file >= 0 else { throw .refused("\(name) cannot be read: \(String(errno: errno)): \(make)") }
    if let exposure = FileExposure(of: file) {
      throw .refused("\(name) is refused: \(exposure.advice(on: path))")
    }
    guard let bytes = FileBytes.read(file, maximum: 4_096) else {
      throw .refused("\(name) cannot be read: \(String(errno: errno))")
    }
    let lines = bytes.split { [0x0A, 0x0D].contains($0) }
    let keys = lines.compactMap { key(of: Array($0)) }
    guard 1...2 ~= lines.count, keys.count == lines.count else {
      throw .refused(
        "\(name) cannot be used: it has to have one or two lines of 32 to 128 hexadecimal digits: \(make)")
    }
    return keys
  }

  private static func key(of line: [UInt8]) -> [UInt8]? {
    guard let count = BaseEncoding.base16.count(decoding: line.span), leastKey...64 ~= count else {
      return nil
    }
    var key = [UInt8](repeating: 0, count: count)
    let isRight = unsafe key.withUnsafeMutableBytes { unsafe BaseEncoding.base16.decode(line.span, into: $0) }
    return isRight ? key : nil
  }
}
