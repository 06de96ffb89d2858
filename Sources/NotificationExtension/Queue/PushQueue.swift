/// The device's side of the push queue: notices gaps, asks for what is missing, and tells what has arrived.
public struct PushQueue: Sendable {
  private let app, device: String
  private let store: any QueueStateStore
  private let client: QueueClient
  /// If more pushes are missing, they are not asked for.
  public var repeatMaxCount: UInt64 = 10
  /// Whether the server learns of each push that has arrived.
  public var sendsReceipts = true
  /// Makes the text that stands for pushes that are lost.
  public var summary: SummaryText = PushText.summary

  /// - Parameters:
  ///   - app: the topic of the app's pushes, which is its bundle identifier, not that of the extension.
  ///   - device: the header `device-id` of the pushes: what the app calls itself on this device, such as a UUID.
  ///   - limit: how long an answer of the server may take.
  public init(
    app: String, device: String, store: any QueueStateStore, transport: any QueueTransport,
    limit: Duration = .seconds(8)
  ) {
    (self.app, self.device, self.store) = (app, device, store)
    client = QueueClient(app: app, transport: transport, limit: limit)
  }

  /// Handles a push. If the state cannot be read or saved, the push is shown as it is.
  /// - Parameter show: called with each new body.
  func receive(_ mark: QueueMark, _ text: PushText, show: @Sendable (String) -> Void) async {
    let arrival = try? await store.update { [self] state in
      let decision = state.receive(mark, device: device, repeatMaxCount: repeatMaxCount) {
        DeviceHash.hash(app: app, device: $0)
      }
      return (decision: decision, state: state)
    }
    guard let (decision, state) = arrival else { return }
    switch decision {
    case .show: break
    case .summary(let missed): show(summary(missed, text))
    case .ask(_, let count, _):
      // Until the server has answered. The system may end the extension's time before that.
      show(summary(count, text))
      if await client.ask(for: count, in: state) { return show(text.body) }
      _ = try? await store.update { if $0.epoch == state.epoch { $0.summarize(count) } }
      return
    }
    // What is asked for is told with the question.
    if sendsReceipts, state.device == device { await client.sendReceipt(of: state) }
  }

  /// Tells the server what has arrived so far. For the start of the app, which may be the first time that the network
  /// works again.
  public func sendReceipt() async {
    if let state = try? await store.update({ $0 }), state.device == device {
      await client.sendReceipt(of: state)
    }
  }
}
