/// What an extension does with a push.
public enum QueueDecision: Equatable, Sendable {
  /// Show it.
  case show
  /// Ask the server for the `count` pushes before `last`, then show it. If the server does not answer in time, show a
  /// summary instead.
  case ask(last: UInt64, count: UInt64, ticket: String)
  /// Show it with a summary of the missed ones.
  case summary(missed: UInt64)
}

/// What a device knows of its pushes. One state for all pushes of an app.
public struct QueueState: Codable, Equatable, Sendable {
  public private(set) var device: String?
  public private(set) var epoch: UInt64 = 0
  /// The highest position that has arrived.
  public private(set) var last: UInt64 = 0
  /// Which of the last 64 positions have arrived. Bit 0 is `last`, bit 1 the one before it.
  public private(set) var seen: UInt64 = 0
  /// The ticket of `last`.
  public private(set) var ticket = ""
  /// How many pushes of this numbering were shown in summaries only.
  public private(set) var summarized: UInt64 = 0

  public init() {}

  /// Notes the arrival of a push, and decides what to do with it. Eight checks, in the order of their numbers except
  /// for the second; the eighth is the server's answer (`QueueClient`).
  /// - Parameters:
  ///   - mark: nil if the push has none that can be read.
  ///   - id: what the app calls itself on this device.
  ///   - repeatMaxCount: if more are missing, they are not asked for.
  ///   - hash: computes `QueueMark.deviceHash` from `id`.
  public mutating func receive(
    _ mark: QueueMark?, device id: String, repeatMaxCount: UInt64 = 10, hash: (String) -> String
  ) -> QueueDecision {
    // 1 and 3: it can be read, and has a number.
    guard let mark else { return .show }
    // 4: it is for this device.
    guard hash(id) == mark.deviceHash else { return .show }
    // 2: it is of the numbering that the state is of.
    if device != id {
      // 5: there is a position to count from. Who has lost its state would ask for all that it has shown already.
      self = QueueState(at: mark, device: id)
      (last, seen) = (mark.position, 1)
      return .show
    }
    if mark.epoch != epoch {
      // A late push of a numbering that is over. The state stays with the new one.
      guard mark.epoch > epoch else { return .show }
      // Numberings begin with 1, so what is missing in front of this push is known.
      self = QueueState(at: mark, device: id)
    }
    // A double, or one that comes late or again.
    if mark.position <= last {
      let back = last - mark.position
      if back < 64 { seen |= 1 << back }
      return .show
    }
    let step = mark.position - last
    let missed = step - 1
    seen = step < 64 ? seen << step | 1 : 1
    (last, ticket) = (mark.position, mark.ticket)
    // 6: some are missing.
    if missed == 0 { return .show }
    // 7: few enough to ask for.
    guard missed <= repeatMaxCount else {
      summarize(missed)
      return .summary(missed: missed)
    }
    return .ask(last: last, count: missed, ticket: ticket)
  }

  /// Counts pushes that are shown in a summary only, because the server did not answer.
  public mutating func summarize(_ missed: UInt64) {
    summarized = min(QueueMark.maximum, summarized + min(missed, QueueMark.maximum))
  }

  /// Before any push of a numbering.
  private init(at mark: QueueMark, device: String) {
    (self.device, epoch, ticket) = (device, mark.epoch, mark.ticket)
  }

  /// Whether it may have been written by this code. A damaged one could make every later push look old.
  var isSound: Bool {
    [epoch, last, summarized].allSatisfy { $0 <= QueueMark.maximum } && (device == nil || ticket.isBase64URL)
  }
}
