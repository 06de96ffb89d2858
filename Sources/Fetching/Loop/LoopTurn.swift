/// A turn of the transfer loop: how much each transfer may take before all others have had theirs.
///
/// libcurl reads from a connection until nothing is there, a hundred times at the most, and whenever it is
/// called for one of them goes on with all those that it had to leave so. Whoever sends faster than we read
/// would have the loop to himself.
final class LoopTurn {
  /// What a shorter piece counts for, in bytes: it is the calls that cost, not the bytes.
  private static let minimumPieceSize = 512

  /// In bytes.
  private let share: Int
  /// Which one it is, from 1 on.
  private var number = 0
  private var paused: [Exchange.ID] = []
  private var news: [Exchange.ID] = []
  private var broken: [Exchange.ID] = []

  /// What one transfer has taken.
  struct Taken {
    fileprivate var turn = 0
    fileprivate var bytes = 0
  }

  /// - Parameter buffer: what libcurl reads at once, in bytes. Sixteen of them are 8 MB for 8 to 64 transfers
  ///   together; with four, a video of 50 MB takes an eighth more CPU time.
  init(buffer: Int) { share = 16 * buffer }

  var hasPaused: Bool { !paused.isEmpty }

  /// Counts a piece of `count` bytes.
  /// - Returns: whether the transfer has had its share with it, and is to pause.
  func takes(_ count: Int, _ taken: inout Taken) -> Bool {
    if taken.turn != number { taken = Taken(turn: number) }
    let before = taken.bytes
    taken.bytes += max(count, Self.minimumPieceSize)
    // Pieces that libcurl has read already still come.
    return before < share && taken.bytes >= share
  }

  func pause(_ id: Exchange.ID) { paused.append(id) }

  /// Something has come that is to be reported, unless the transfer ends with this turn.
  func note(_ id: Exchange.ID) { news.append(id) }

  /// It is of no use to wait for more of it.
  func noteBroken(_ id: Exchange.ID) { broken.append(id) }

  func takeBroken() -> [Exchange.ID] {
    defer { broken.removeAll(keepingCapacity: true) }
    return broken
  }

  /// The turn ends.
  /// - Returns: those that were noted.
  func takeNews() -> [Exchange.ID] {
    defer { news.removeAll(keepingCapacity: true) }
    return news
  }

  /// The next turn begins.
  /// - Returns: those that have paused.
  func next() -> [Exchange.ID] {
    defer { paused.removeAll(keepingCapacity: true) }
    number += 1
    return paused
  }
}
