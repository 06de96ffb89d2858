/// The index of an ISO media file: its tracks (ISO/IEC 14496-12, moov 8.2.1, mvex 8.8.1).
struct MovieIndex {
  /// Those with pictures or sound.
  private var media: [Track] = []
  /// Whether samples may follow in fragments.
  private(set) var isFragmented = false

  init(in movie: Box, of body: inout Body) throws(Shortage) {
    var boxes = ChildBoxes(of: movie)
    // Real files have twelve a track.
    var boxesLeft = 256
    while let box = try boxes.next(in: &body, &boxesLeft) {
      if box.type == "mvex" { isFragmented = true }
      guard box.type == "trak" else { continue }
      let track = try Track(in: box, of: &body, &boxesLeft)
      if track.isPicture || track.isSound { media.append(track) }
    }
  }

  var hasMedia: Bool { !media.isEmpty }

  /// The tracks that are played. A disabled one, like a chapter's picture, is not, but if all are
  /// disabled, players take all (8.3.2.3).
  /// - Parameter hasFragments: whether tracks without samples in the index may have some in these.
  func tracks(withFragments hasFragments: Bool) -> [Track] {
    let full = media.filter { $0.hasSamples || hasFragments && isFragmented }
    let enabled = full.filter(\.isEnabled)
    return enabled.isEmpty ? full : enabled
  }
}

/// The boxes in another one.
struct ChildBoxes {
  private var offset: Int
  private let end: Int

  /// - Parameter offset: of the first one.
  init(of parent: Box, from offset: Int? = nil) {
    (self.offset, end) = (offset ?? parent.content, parent.end)
  }

  /// Returns nil if no valid box follows, or one that would reach beyond its parent.
  mutating func next(in body: inout Body, _ boxesLeft: inout Int) throws(Shortage) -> Box? {
    guard offset < end, boxesLeft > 0, let box = try Box(at: offset, in: &body), box.end <= end else {
      return nil
    }
    boxesLeft -= 1
    offset = box.end
    return box
  }
}
