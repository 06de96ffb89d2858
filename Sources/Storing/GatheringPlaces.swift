internal import Synchronization

/// Memory in which files of one piece are gathered, so that each is written in one go and at whole pages, which takes half the time: for a
/// few files at once, because most of them come as fast as they can be read. The others are written as they come.
final class GatheringPlaces: Sendable {
  /// Files at once.
  static let count = 8
  /// What one of them holds, in bytes: whole pages.
  static let bytes = 16_384
  /// A file that is announced with more takes its time, in bytes.
  static let largestFile = 65_536

  private let taken = Atomic(0)

  /// - Parameter announced: how long the file will be, in bytes, where that was said.
  /// - Returns: nil when it is too long, or all places are taken.
  func take(for announced: Int?) -> Place? {
    guard let announced, announced <= Self.largestFile else { return nil }
    guard taken.add(1, ordering: .relaxed).newValue <= Self.count else {
      leave()
      return nil
    }
    return Place(self)
  }

  private func leave() { taken.subtract(1, ordering: .relaxed) }

  /// One of them, until this value goes away.
  struct Place: ~Copyable, Sendable {
    private let places: GatheringPlaces

    fileprivate init(_ places: GatheringPlaces) { self.places = places }

    deinit { places.leave() }
  }
}
