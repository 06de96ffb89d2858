/// A track of an ISO media file (ISO/IEC 14496-12, trak 8.3.1).
struct Track {
  private(set) var isEnabled = true
  private(set) var isPicture = false
  private(set) var isSound = false
  private(set) var isEncrypted = false
  /// Whether the index itself lists a sample.
  private(set) var hasSamples = false
  /// How its samples are encoded, at least the first ones.
  private(set) var firstEntry: Box?

  /// Common Encryption (ISO/IEC 23001-7), Apple's FairPlay, and Audible.
  private static let encryptedEntries: Set<String> = ["encv", "enca", "drmi", "drms", "aavd"]

  /// Goes down trak, mdia, minf and stbl.
  init(in trak: Box, of body: inout Body, _ boxesLeft: inout Int) throws(Shortage) {
    var levels = [ChildBoxes(of: trak)]
    levels.reserveCapacity(4)
    while var level = levels.popLast() {
      guard let box = try level.next(in: &body, &boxesLeft) else { continue }
      levels.append(level)
      switch (levels.count, box.type) {
      case (1, "mdia"), (2, "minf"), (3, "stbl"):
        levels.append(ChildBoxes(of: box))
      // The flags end at the fourth byte (8.3.2).
      case (1, "tkhd"): isEnabled = try body.byte(at: box.content + 3).map { $0 & 1 == 1 } ?? true
      case (2, "hdlr"):
        // The type follows the version, the flags and a reserved word (8.4.3).
        let kind = try body.code(at: box.content + 8)
        (isPicture, isSound) = (kind == "vide", kind == "soun")
      case (4, "stsd"): try readEntries(of: box, in: &body, &boxesLeft)
      // The table of sample durations (8.6.1.2): its number of rows, and the number of samples in the first row.
      case (4, "stts"):
        let (rows, samples) = (try body.number(at: box.content + 4), try body.number(at: box.content + 8))
        hasSamples = rows ?? 0 > 0 && samples ?? 0 > 0
      default: break
      }
    }
  }

  /// Reads how samples are encoded (8.5.2). There are several entries if that changes within the track.
  private mutating func readEntries(
    of table: Box, in body: inout Body, _ boxesLeft: inout Int
  ) throws(Shortage) {
    var entries = ChildBoxes(of: table, from: table.content + 8)
    while let entry = try entries.next(in: &body, &boxesLeft) {
      if Self.encryptedEntries.contains(entry.type) { isEncrypted = true }
      if firstEntry == nil { firstEntry = entry }
    }
  }
}
