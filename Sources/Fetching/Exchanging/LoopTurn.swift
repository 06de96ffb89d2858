/// How much each transfer may take before the others have had their turn. libcurl reads a hundred times from
/// one connection: a server that sends faster than we read would have the loop to itself.
final class LoopTurn {
  private let share: Int
  private var number = 0
  var paused: [Exchange.ID] = []

  struct Taken {
    fileprivate var turn = 0
    fileprivate var bytes = 0
  }

  /// - Parameter buffer: bytes of one read. With a quarter of the share, a video takes 12 % more CPU time.
  init(buffer: Int) { share = 16 * buffer }

  /// Returns whether the transfer has just used up its share, and has to pause.
  func takes(_ count: Int, _ taken: inout Taken) -> Bool {
    if taken.turn != number { taken = Taken(turn: number) }
    let before = taken.bytes
    // The calls cost, not the bytes.
    taken.bytes += max(count, 512)
    // Pieces that libcurl has already read still come.
    return before < share && taken.bytes >= share
  }

  /// Begins the next turn. Returns the transfers that go on.
  func next() -> [Exchange.ID] {
    number += 1
    defer { paused = [] }
    return paused
  }
}
