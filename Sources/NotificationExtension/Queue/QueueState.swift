/// What the extension should do with a push.
public enum QueueDecision: Equatable, Sendable {
  /// Show it.
  case show
  /// Ask the server for the `count` pushes before `last`, then show it. If the server does not answer in time, show it
  /// with a summary of them. Show a summary of the `lost` pushes in any case: it is too late to ask for those.
  case ask(last: UInt64, count: UInt64, lost: UInt64, ticket: String)
  /// Show it with a summary of the missed ones.
  case summary(missed: UInt64)
}

/// What a device knows about its pushes. All pushes of an app share one state.
public struct QueueState: Codable, Equatable, Sendable {
  public private(set) var device: String?
  public private(set) var epoch: UInt64 = 0
  /// The highest position that has arrived.
  public private(set) var last: UInt64 = 0
  /// Which of the last 64 positions have arrived. Bit 0 is `last`, bit 1 the one before it.
  public private(set) var seen: UInt64 = 0
  /// The ticket of `last`.
  public private(set) var ticket = ""
  /// Which of the last 64 positions need not arrive any more: they were in a summary, or a newer push has taken their
  /// place. Bits as in `seen`.
  private var settled: UInt64 = 0
  /// How many pushes of this numbering were shown in summaries only.
  public private(set) var summarized: UInt64 = 0

  /// How many positions the server is told of: as many bits as every JSON parser keeps exactly.
  static let window: UInt64 = 53

  public init() {}

  /// Which of the last positions are missing: neither seen nor in a summary. Bits as in `seen`.
  private var missing: UInt64 { ~(seen | settled) & QueueMark.maximum }

  /// Notes the arrival of a push, and decides what to do with it. Eight checks, in the order of their numbers except
  /// for the second; the eighth is the server's answer (`QueueClient`).
  /// - Parameters:
  ///   - mark: nil if the push has none that can be read.
  ///   - id: what the app calls itself on this device.
  ///   - repeatMaxCount: if more are missing, they are not asked for. At most 52.
  ///   - hash: computes `QueueMark.deviceHash` from `id`.
  public mutating func receive(
    _ mark: QueueMark?, device id: String, repeatMaxCount: UInt64 = 10, hash: (String) -> String
  ) -> QueueDecision {
    // 1 and 3: it can be read, and has a number.
    guard let mark else { return .show }
    // 4: it is for this device.
    guard hash(id) == mark.deviceHash else { return .show }
    // 2: it belongs to the state's numbering.
    if device != id {
      // 5: there is a position to count from. A device that has lost its state would otherwise ask for pushes that it
      // has already shown.
      self = QueueState(at: mark, device: id)
      (last, seen, settled) = (mark.position, 1, ~1)
      return .show
    }
    if mark.epoch != epoch {
      // A late push of a numbering that is over. The state stays with the new one.
      guard mark.epoch > epoch else { return .show }
      // Numberings begin with 1, so it is known how many pushes before this one are missing.
      self = QueueState(at: mark, device: id)
    }
    // A duplicate, a late push, or one that was sent again.
    if mark.position <= last {
      let back = last - mark.position
      if back < 64 { seen |= 1 << back }
      return .show
    }
    let missed = mark.position - last - 1
    let lost = advance(to: mark)
    // 6: some are missing.
    if missed == 0 { return lost == 0 ? .show : .summary(missed: lost) }
    // 7: few enough to ask for.
    guard missed <= min(repeatMaxCount, Self.window - 1) else {
      summarize(missed)
      settled |= Self.before(missed)
      return .summary(missed: missed + lost)
    }
    return .ask(last: last, count: missed, lost: lost, ticket: ticket)
  }

  /// - Returns: how many missing positions are now too far back for the server to be told of. They count as summarized.
  private mutating func advance(to mark: QueueMark) -> UInt64 {
    let step = mark.position - last
    // The shift drops the positions that stay in the window.
    let lost = UInt64((step < Self.window ? missing >> (Self.window - step) : missing).nonzeroBitCount)
    seen = step < 64 ? seen << step | 1 : 1
    settled = step < 64 ? settled << step : 0
    (last, ticket) = (mark.position, mark.ticket)
    summarize(lost)
    return lost
  }

  /// Notes what the server has said about the pushes before `state.last`, or that it has not answered.
  /// - Parameters:
  ///   - answer: which of them will not come any more.
  ///   - state: as it was when the server was asked.
  /// - Returns: how many are to be shown in a summary now.
  public mutating func settle(_ answer: QueueAnswer, askedWith state: QueueState) -> UInt64 {
    guard state.device == device, state.epoch == epoch, last - min(last, state.last) < Self.window,
      last >= state.last
    else { return 0 }
    let step = last - state.last
    let gone = answer.gone << step & missing
    settled |= gone | (answer.superseded << step)
    let count = UInt64(gone.nonzeroBitCount)
    summarize(count)
    return count
  }

  mutating func summarize(_ missed: UInt64) {
    summarized = min(QueueMark.maximum, summarized + min(missed, QueueMark.maximum))
  }

  /// The `count` positions before the last, as bits.
  static func before(_ count: UInt64) -> UInt64 { count < 63 ? (1 << count - 1) << 1 : ~1 }

  /// The state before any push of a numbering.
  private init(at mark: QueueMark, device: String) {
    (self.device, epoch, ticket, settled) = (device, mark.epoch, mark.ticket, ~0)
  }

  /// Whether it may have been written by this code. A damaged one could make every later push look old.
  var isSound: Bool {
    [epoch, last, summarized].allSatisfy { $0 <= QueueMark.maximum } && (device == nil || ticket.isBase64URL)
  }
}
