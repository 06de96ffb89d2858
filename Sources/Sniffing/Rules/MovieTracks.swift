/// What the tracks of an ISO media file hold (ISO/IEC 14496-12 4.2; moov 8.2, trak 8.3, mdia 8.4).
enum MovieTracks {
  case picture, sound, neither

  /// Stops at the first picture track. Sound is certain only when the whole index (moov) is there.
  static func find(in body: inout Body) throws(Shortage) -> MovieTracks {
    var offset = 0
    // Real files have six boxes before the index.
    for _ in 0..<24 {
      guard let box = try Box(at: offset, in: &body) else { return .neither }
      if box.type == "moov" { return try find(in: box, of: &body) }
      offset = box.end
    }
    return .neither
  }

  private static func find(in movie: Box, of body: inout Body) throws(Shortage) -> MovieTracks {
    var handlers = Handlers()
    do throws(Shortage) {
      try handlers.collect(from: movie, path: ["trak", "mdia"], of: &body)
    } catch {
      // No picture so far. Waits for the whole index: an attempt for every box would read it often.
      throw Shortage(end: max(error.end, movie.end))
    }
    return handlers.picture ? .picture : handlers.sound ? .sound : .neither
  }
}

private struct Handlers {
  /// Real files have thirty boxes before the last handler.
  var boxesLeft = 256
  var picture = false
  var sound = false

  /// Goes down `path`, a level for each name, and notes the handlers at its end.
  mutating func collect(from parent: Box, path: ArraySlice<String>, of body: inout Body) throws(Shortage) {
    var offset = parent.content
    while offset < parent.end, boxesLeft > 0, !picture, let box = try Box(at: offset, in: &body) {
      boxesLeft -= 1
      if let next = path.first {
        if box.type == next { try collect(from: box, path: path.dropFirst(), of: &body) }
      } else if box.type == "hdlr" {
        // The type follows the version, the flags and a reserved word.
        let kind = try body.code(at: box.content + 8)
        picture = kind == "vide"
        sound = sound || kind == "soun"
      }
      offset = box.end
    }
  }
}
