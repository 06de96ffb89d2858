/// The examination of one body as it arrives. The first bytes name the format, and with it the size
/// limit. Then the next bytes have to show a plausible header and the start of the content.
/// Otherwise the file is a stub, such as a signature followed by a script.
///
/// A file does not have to show its end: devices show a picture that lacks its last lines. If the
/// end was lost on the way, the transfer or `FileEnd` reports it.
package struct MediaExamination: Sendable {
  package private(set) var format: MediaFormat?
  private var reading = ContentReading()
  /// Whether more bytes cannot change the verdict.
  private var isFinished = false
  /// How many bytes have to arrive before it is worth going on. With 0, the next call goes on with fewer.
  package var needs = Body.headSize

  package init() {}

  package var facts: MediaFacts { reading.facts }

  /// Goes on with the first `available` bytes. Reads at most 128 KB to name the format, and no byte
  /// of the content twice.
  /// - Parameters:
  ///   - isComplete: whether no more bytes will come. If so, the verdict is final. Before that, an
  ///     accepted file can still be rejected.
  ///   - read: fills the span with bytes from the offset on, within `available`. Returns how many.
  package mutating func proceed(
    available: Int, isComplete: Bool, with sniffer: Sniffer,
    read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> Examination {
    if !isFinished, isComplete || available >= needs {
      let name = withoutActuallyEscaping(read) { read in
        var body = Body(available: available, isComplete: isComplete, read: read)
        do throws(Shortage) {
          return try nameOfOther(in: &body, sniffer)
        } catch {
          needs = error.roundedEnd
          return nil
        }
      }
      if let name { return .rejected(name: name) }
    }
    return format.map { .accepted($0) } ?? .undecided(needs: needs)
  }

  /// Returns what the file is if iOS does not show it. Reads it once for the format and the content.
  private mutating func nameOfOther(in body: inout Body, _ sniffer: Sniffer) throws(Shortage) -> String? {
    if format == nil {
      switch try sniffer.examine(&body) {
      case .accepted(let format): (self.format, reading.facts) = (format, body.facts)
      case .rejected(let name): return name
      case .undecided: return nil
      }
    }
    guard let format else { return nil }
    if let name = try Self.rule(for: format)(&reading, &body) { return name }
    // What is refused stays unfinished. If it is examined again, it is refused again.
    isFinished = reading.hasContent
    return isFinished ? nil : "\(format.displayName) without content"
  }

  /// Reads on from where it stopped.
  /// - Returns: what the file is instead, or nil. Without content, the file is a stub.
  typealias Rule = @Sendable (inout ContentReading, inout Body) throws(Shortage) -> String?

  private static func rule(for format: MediaFormat) -> Rule {
    switch format {
    case .jpeg: JPEGContent.read
    case .png: PNGContent.read
    case .gif: GIFContent.read
    case .avi: ChunkContent.readAVI
    case .aiff: ChunkContent.readAIFF
    case .mpeg, .mpeg2: MPEGContent.read
    // The rules that name these formats have seen frames, tracks or samples.
    case .mp3, .m4a, .mp4, .wav:
      { (reading, _) in
        reading.hasContent = true
        return nil
      }
    }
  }
}

/// How far a file has been read after its first bytes, and what has been learned.
struct ContentReading: Sendable {
  /// Where to go on. If bytes are missing, a step starts here again.
  var offset = 0
  var facts = MediaFacts()
  /// Whether the start of a picture or of sound has been seen, after a plausible header.
  var hasContent = false
  /// Whether all that decoders need before the content has been seen: an AVI's header, a PNG's palette.
  var hasHeader = false
  /// Whether the sound of an AIFF has been seen, or it says that it has none.
  var hasSound = false
  /// Whether the offset is inside the blocks of a GIF's picture or extension.
  var isInBlocks = false
  /// Real files need a few hundred steps before the content.
  private var stepsLeft = 65_536

  /// Counts a step over a segment, a chunk or padding. Returns false if there were too many.
  mutating func takeStep() -> Bool {
    stepsLeft -= 1
    return stepsLeft >= 0
  }
}
