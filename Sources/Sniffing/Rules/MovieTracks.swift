/// What the tracks of an ISO media file hold, found by jumping from box to box.
///
/// Source: ISO/IEC 14496-12, sections 4.2 (boxes), 8.2 (moov), 8.3 (trak), 8.4 (mdia, hdlr).
enum MovieTracks {
  case picture, sound, neither

  /// Real files have six boxes before the index, and thirty in it before the last track's handler.
  /// The limits bound what a hostile one can cost.
  private static let outerBoxLimit = 24
  private static let innerBoxLimit = 256

  /// Stops at the first picture track; sound is certain only when the whole index (moov) is there.
  static func find(in body: inout Body) throws(Shortage) -> MovieTracks {
    var offset = 0
    for _ in 0..<outerBoxLimit {
      guard let box = try Box(at: offset, in: &body) else { return .neither }
      if box.type == "moov" { return try find(in: box, of: &body) }
      offset = box.end
    }
    return .neither
  }

  private static func find(in movie: Box, of body: inout Body) throws(Shortage) -> MovieTracks {
    var handlers = Handlers(boxesLeft: innerBoxLimit)
    do throws(Shortage) {
      try handlers.collect(from: movie, path: ["trak", "mdia"], of: &body)
    } catch {
      // What has arrived shows no picture. Asking again for every box would read a large index many times.
      throw Shortage(end: max(error.end, movie.end))
    }
    return handlers.picture ? .picture : handlers.sound ? .sound : .neither
  }
}

private struct Handlers {
  var boxesLeft: Int
  var picture = false
  var sound = false

  /// Goes down `path`, a level per name, and notes the handlers at its end.
  mutating func collect(
    from parent: Box, path: ArraySlice<String>, of body: inout Body
  ) throws(Shortage) {
    var offset = parent.content
    while offset < parent.end, boxesLeft > 0, !picture, let box = try Box(at: offset, in: &body) {
      boxesLeft -= 1
      if let next = path.first {
        if box.type == next { try collect(from: box, path: path.dropFirst(), of: &body) }
      } else if box.type == "hdlr" {
        // After version, flags and a reserved word.
        switch try body.code(at: box.content + 8) {
        case "vide": picture = true
        case "soun": sound = true
        default: break
        }
      }
      offset = box.end
    }
  }
}
