/// The device's side of the push queue: notices gaps, asks for what is missing, and reports what has arrived.
public struct PushQueue: Sendable {
  private let app, device: String
  private let store: any QueueStateStore
  private let client: QueueClient
  /// The most missing pushes to ask for. If more are missing, none of them is asked for.
  public var repeatMaxCount: UInt64 = 10
  /// Whether the server learns of each push that has arrived.
  public var sendsReceipts = true
  /// Makes the text to show in place of lost pushes.
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
    var missed: UInt64 = 0
    switch decision {
    case .show: break
    case .summary(let count):
      missed = count
      show(summary(missed, text))
    case .ask(_, let count, let lost, _):
      // Shows a summary until the server answers. The extension's time may end before that.
      show(summary(count + lost, text))
      missed = lost + (await settle(client.ask(for: count, in: state), askedWith: state))
      if missed != count + lost { show(missed == 0 ? text.body : summary(missed, text)) }
      // The question has already told the server what has arrived.
      return
    }
    guard sendsReceipts, state.device == device, let answer = await client.sendReceipt(of: state) else {
      return
    }
    let gone = await settle(answer, askedWith: state)
    if gone > 0 { show(summary(missed + gone, text)) }
  }

  /// Tells the server what has arrived so far. Call it when the app starts: that may be the first time that the network
  /// works again.
  /// - Returns: how many missed pushes will never come. Each is counted once, here or in the summary of a push.
  @discardableResult
  public func sendReceipt() async -> UInt64 {
    guard let state = try? await store.update({ $0 }), state.device == device,
      let answer = await client.sendReceipt(of: state)
    else { return 0 }
    return await settle(answer, askedWith: state)
  }

  private func settle(_ answer: QueueAnswer, askedWith state: QueueState) async -> UInt64 {
    if answer == QueueAnswer() { return 0 }
    let settled = try? await store.update { $0.settle(answer, askedWith: state) }
    return settled ?? UInt64(answer.gone.nonzeroBitCount)
  }
}
