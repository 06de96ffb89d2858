internal import Foundation

/// Asks the server for missed pushes, and tells it which have arrived. Never waits longer than its limit, whatever
/// the transport does.
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
  /// - Returns: the server's answer. If there is none, the pushes count as gone.
  public func ask(for count: UInt64, in state: QueueState) async -> QueueAnswer {
    await post("v1/missed", state, count: count) ?? QueueAnswer(gone: QueueState.before(count))
  }

  /// Tells the server what has arrived. Call it in the extension, or at the start of the app with the stored state.
  /// - Returns: nil if the server has not accepted it.
  @discardableResult
  public func sendReceipt(of state: QueueState) async -> QueueAnswer? {
    await post("v1/receipts", state)
  }

  private func post(_ path: String, _ state: QueueState, count: UInt64? = nil) async -> QueueAnswer? {
    let ticket = state.ticket
    guard let device = state.device, ticket.isBase64URL else { return nil }
    let message = Message(
      app: app, device: device, e: state.epoch, last: state.last, count: count,
      // The last 53 positions: a number that every JSON parser keeps exactly.
      seen: state.seen & QueueMark.maximum,
      summarized: count == nil && state.summarized > 0 ? state.summarized : nil)
    guard let body = try? JSONEncoder().encode(message) else { return nil }
    let answer = await withTimeLimit(limit) { [transport] in
      try? await transport.post(body, to: path, ticket: ticket)
    }
    switch answer?.status {
    case 204: return QueueAnswer()
    case 200, 202: return answer.flatMap { try? JSONDecoder().decode(QueueAnswer.self, from: $0.body) }
    default: return nil
    }
  }

  private struct Message: Encodable {
    let app, device: String
    let e, last: UInt64
    let count: UInt64?
    let seen: UInt64
    let summarized: UInt64?
  }
}

/// What the server knows about pushes that have not arrived. Bit 0 is the position that it was told of, and bit 1 the
/// one before it.
public struct QueueAnswer: Equatable, Sendable, Decodable {
  /// They will never come.
  public let gone: UInt64
  /// A newer push with the same collapse id has taken their place.
  public let superseded: UInt64

  public init(gone: UInt64 = 0, superseded: UInt64 = 0) { (self.gone, self.superseded) = (gone, superseded) }

  private enum CodingKeys: String, CodingKey { case gone, replaced }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    gone = try members.decodeIfPresent(UInt64.self, forKey: .gone) ?? 0
    superseded = try members.decodeIfPresent(UInt64.self, forKey: .replaced) ?? 0
  }
}
