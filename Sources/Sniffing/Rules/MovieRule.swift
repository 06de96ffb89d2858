/// Examines the boxes of an ISO media file (ISO/IEC 14496-12). It is accepted if its index (moov) is
/// complete and lists pictures or sound that are not encrypted, and if a box with their data starts.
enum MovieRule {
  /// The standard wants the file type first (4.3.1), but players skip free space before it.
  private static let space: Set<String> = ["free", "skip", "wide"]

  /// For a body that starts with a file type or with free space.
  @Sendable static func examine(_ body: inout Body) throws(Shortage) -> Examination {
    var boxes = FileBoxes()
    while let box = try boxes.next(in: &body) {
      if box.type == "ftyp" { return try FormTable.brands.examine(&body, at: box.content) }
      guard space.contains(box.type) else { break }
    }
    // QuickTime is older than the file type.
    return .rejected(name: "QuickTime movie")
  }

  /// For a brand that leaves open what the tracks are.
  static func examineTracks(_ body: inout Body) throws(Shortage) -> Examination {
    var boxes = FileBoxes()
    var movie = Movie()
    while let box = try boxes.next(in: &body) {
      switch box.type {
      case "moov" where movie.index == nil:
        // Refuses an index that is cut off, and one without an end, which could be cut off.
        guard box.end < .max, try body.reaches(box.end - box.content, at: box.content) else {
          return .rejected(name: "MP4 without its whole index")
        }
        movie.index = try MovieIndex(in: box, of: &body)
        boxes.endPatience()
      case "moof": movie.hasFragments = true
      // It may be empty, as in files that serve to test metadata.
      case "mdat": movie.hasData = true
      default: break
      }
      if let verdict = movie.verdict {
        body.facts = try movie.facts(in: &body)
        return verdict
      }
    }
    if movie.index == nil, let name = try PictureItem.name(in: &body) { return .rejected(name: name) }
    let verdict = movie.lastVerdict
    if case .accepted = verdict { body.facts = try movie.facts(in: &body) }
    return verdict
  }
}

/// What is known of a movie so far.
private struct Movie {
  var index: MovieIndex?
  var hasFragments = false
  var hasData = false

  private var tracks: [Track] { index?.tracks(withFragments: hasFragments) ?? [] }

  /// The duration, and what the first picture says of its size and codec.
  func facts(in body: inout Body) throws(Shortage) -> MediaFacts {
    var facts = MediaFacts(milliseconds: index?.milliseconds)
    for track in tracks {
      guard track.isPicture, let entry = track.firstEntry else { continue }
      if facts.width == nil { (facts.width, facts.height) = try PictureEntry.size(of: entry, in: &body) }
      if facts.warning == nil { facts.warning = try PictureEntry.warning(on: entry, in: &body) }
    }
    if facts.warning == nil { facts.warning = try warningOnSound(in: &body) }
    return facts
  }

  /// Nil if iOS plays one of the sound tracks: it picks that one.
  private func warningOnSound(in body: inout Body) throws(Shortage) -> MediaWarning? {
    var first: MediaWarning?
    for track in tracks where track.isSound {
      guard let entry = track.firstEntry, let warning = try SoundEntry.warning(on: entry, in: &body) else {
        return nil
      }
      first = first ?? warning
    }
    return first
  }

  /// Nil if a box that follows could change it.
  var verdict: Examination? {
    guard hasData, let index else { return nil }
    let isOpen = index.isFragmented && !hasFragments
    return isOpen && !tracks.contains(where: \.isPicture) ? nil : Self.verdict(on: tracks)
  }

  /// The verdict if no box follows.
  var lastVerdict: Examination {
    guard let index, index.hasMedia else { return .rejected(name: "MP4 without tracks") }
    if index.isFragmented, !hasFragments, index.tracks(withFragments: false).isEmpty {
      return .rejected(name: "MP4 initialization segment without media")
    }
    guard hasData else { return .rejected(name: "MP4 without media data") }
    return Self.verdict(on: tracks) ?? .rejected(name: "MP4 without media data")
  }

  private static func verdict(on tracks: [Track]) -> Examination? {
    if tracks.isEmpty { return nil }
    if tracks.contains(where: \.isEncrypted) { return .rejected(name: "encrypted MP4 (DRM)") }
    return .accepted(tracks.contains(where: \.isPicture) ? .mp4 : .m4a)
  }
}

/// The boxes of a file, one by one.
private struct FileBoxes {
  /// Where the next box starts.
  private(set) var offset = 0
  private var boxesLeft = 1024
  /// How many boxes are waited for one by one. Real files have six before the index.
  private var patience = 8

  mutating func next(in body: inout Body) throws(Shortage) -> Box? {
    guard boxesLeft > 0 else { return nil }
    let box: Box?
    do throws(Shortage) {
      box = try Box(at: offset, in: &body)
    } catch {
      // Each attempt walks from the start again, so the next one is the last.
      throw Shortage(end: patience > 0 ? error.end : .max)
    }
    guard let box else { return nil }
    boxesLeft -= 1
    patience -= 1
    offset = box.end
    return box
  }

  /// Call it after the index, which takes long to read again. Media or a fragment follows soon.
  mutating func endPatience() { patience = min(patience, 2) }
}
