/// Limits how much each transfer may receive before the others have had their turn. libcurl reads 100 times
/// from one connection, so a server that sends faster than we read would keep the loop to itself.
final class LoopTurn {
  private let share: Int
  private var number = 0
  var paused: [Exchange.ID] = []

  struct Taken {
    fileprivate var turn = 0
    fileprivate var bytes = 0
  }

  /// - Parameter buffer: bytes of one read. A quarter of the share costs a video 12 % more CPU
  ///   time.
  init(buffer: Int) { share = 16 * buffer }

  /// Returns whether the transfer has just used up its share and must pause.
  func takes(_ count: Int, _ taken: inout Taken) -> Bool {
    if taken.turn != number { taken = Taken(turn: number) }
    let before = taken.bytes
    // Each piece counts as at least 512 bytes, because the cost is in the calls.
    taken.bytes += max(count, 512)
    // True only once, although pieces that libcurl has already read still arrive.
    return before < share && taken.bytes >= share
  }

  /// Begins the next turn. Returns the transfers to resume.
  func next() -> [Exchange.ID] {
    number += 1
    defer { paused = [] }
    return paused
  }
}
