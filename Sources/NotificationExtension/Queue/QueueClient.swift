internal import Foundation

/// Asks the server for missed pushes, and tells it which have arrived. Waits no longer than it may, whatever the
/// transport does.
public struct QueueClient: Sendable {
  private let app: String
  private let transport: any QueueTransport
  private let limit: Duration

  /// - Parameters:
  ///   - app: the topic of the app's pushes, which is its bundle identifier.
  ///   - limit: how long an answer may take.
  public init(app: String, transport: any QueueTransport, limit: Duration = .seconds(8)) {
    (self.app, self.transport, self.limit) = (app, transport, limit)
  }

  /// The eighth check: the server has answered in time that it sends the missed pushes again (202), or that nothing is
  /// left to send (204).
  /// - Parameter state: as it was right after the push arrived.
  public func ask(for count: UInt64, in state: QueueState) async -> Bool {
    await post("v1/missed", state, count: count)
  }

  /// Tells the server what has arrived. Call it in the extension, or at the start of the app with the stored state.
  /// - Returns: whether the server has taken it.
  @discardableResult
  public func sendReceipt(of state: QueueState) async -> Bool {
    await post("v1/receipts", state)
  }

  private func post(_ path: String, _ state: QueueState, count: UInt64? = nil) async -> Bool {
    let ticket = state.ticket
    guard let device = state.device, ticket.isBase64URL else { return false }
    let message = Message(
      app: app, device: device, e: state.epoch, last: state.last, count: count,
      // The last 53 positions: a number that every JSON parser keeps exactly.
      seen: state.seen & QueueMark.maximum,
      summarized: count == nil && state.summarized > 0 ? state.summarized : nil)
    guard let body = try? JSONEncoder().encode(message) else { return false }
    let status = await withTimeLimit(limit) { [transport] in
      try? await transport.post(body, to: path, ticket: ticket)
    }
    return status == 202 || status == 204
  }

  private struct Message: Encodable {
    let app, device: String
    let e, last: UInt64
    let count: UInt64?
    let seen: UInt64
    let summarized: UInt64?
  }
}
