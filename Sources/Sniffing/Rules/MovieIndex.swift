/// The index of an ISO media file: its tracks (ISO/IEC 14496-12, moov 8.2.1, mvhd 8.2.2, mvex 8.8.1).
struct MovieIndex {
  /// The tracks with pictures or sound.
  private var media: [Track] = []
  /// Whether samples may follow in fragments.
  private(set) var isFragmented = false
  /// Nil if it is not known, as with fragments.
  private(set) var milliseconds: Int?

  init(in movie: Box, of body: inout Body) throws(Shortage) {
    var boxes = ChildBoxes(of: movie)
    // Real files have twelve per track.
    var boxesLeft = 256
    while let box = try boxes.next(in: &body, &boxesLeft) {
      switch box.type {
      case "mvex": isFragmented = true
      case "mvhd": milliseconds = try Self.duration(in: box, of: &body)
      case "trak":
        let track = try Track(in: box, of: &body, &boxesLeft)
        if track.isPicture || track.isSound { media.append(track) }
      default: break
      }
    }
    // The header's duration does not include the fragments (8.8.2).
    if isFragmented { milliseconds = nil }
  }

  /// After the version, the flags and two dates, the header has the units per second and the number of units. All
  /// ones mean that the duration is unknown.
  private static func duration(in header: Box, of body: inout Body) throws(Shortage) -> Int? {
    let isLong = try body.byte(at: header.content) == 1
    let place = header.content + (isLong ? 20 : 12)
    guard place + (isLong ? 12 : 8) <= header.end, let scale = try body.number(at: place), scale > 0,
      let first = try body.number(at: place + 4)
    else { return nil }
    var units = UInt64(first)
    if isLong {
      guard let second = try body.number(at: place + 8) else { return nil }
      units = units << 32 | UInt64(second)
    }
    // More than a century is not a credible duration.
    guard units != UInt32.max, units <= UInt64(UInt32.max) * UInt64(scale) else { return nil }
    let milliseconds = Int(Double(units) * 1_000 / Double(scale))
    return milliseconds > 0 ? milliseconds : nil
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

/// The boxes inside another box.
struct ChildBoxes {
  private var offset: Int
  private let end: Int

  /// - Parameter offset: the start of the first box.
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
