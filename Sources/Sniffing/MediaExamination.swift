/// The examination of one body as it arrives. The first bytes name the format, and with it the size
/// limit. Then the bytes behind them have to show a header that can be believed and the start of
/// the content. Otherwise the file is a stub, such as a signature in front of a script.
///
/// A file does not have to show its end: devices show a picture that lacks its last lines. If the
/// end was lost on the way, the transfer says so, or `FileEnd`.
package struct MediaExamination: Sendable {
  package private(set) var format: MediaFormat?
  private var reading = ContentReading()
  /// Whether further bytes can tell nothing more.
  private var isFinished = false
  /// How many bytes have to arrive before it is worth going on.
  var needs = Body.headSize

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
      if format == nil {
        let verdict = sniffer.examine(available: available, isComplete: isComplete, read: read)
        switch verdict {
        case .accepted(let format): self.format = format
        case .rejected: return verdict
        case .undecided(let needs): self.needs = needs
        }
      }
      if let format, let name = instead(of: format, available, isComplete, read) {
        return .rejected(name: name)
      }
    }
    return format.map { .accepted($0) } ?? .undecided(needs: needs)
  }

  /// Returns what the file is instead if it is not a file of `format` that iOS shows.
  private mutating func instead(
    of format: MediaFormat, _ available: Int, _ isComplete: Bool,
    _ read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> String? {
    withoutActuallyEscaping(read) { read in
      var body = Body(available: available, isComplete: isComplete, read: read)
      do throws(Shortage) {
        let name = try Self.rule(for: format)(&reading, &body)
        isFinished = true
        return name ?? (reading.hasContent ? nil : "\(format.displayName) without content")
      } catch {
        needs = error.roundedEnd
        return nil
      }
    }
  }

  /// Reads on from where it stopped.
  /// - Returns: what the file is instead, or nil. Without content, the file is a stub.
  typealias Rule = @Sendable (inout ContentReading, inout Body) throws(Shortage) -> String?

  private static func rule(for format: MediaFormat) -> Rule {
    switch format {
    case .jpeg: JPEGContent.read
    case .png: PNGContent.read
    case .gif: GIFContent.read
    case .wav: ChunkContent.readWAVE
    case .avi: ChunkContent.readAVI
    case .aiff: ChunkContent.readAIFF
    case .mpeg, .mpeg2: MPEGContent.read
    // The rules that name these formats have seen frames or tracks.
    case .mp3, .m4a, .mp4:
      { (reading, _) in
        reading.hasContent = true
        return nil
      }
    }
  }
}

/// How far a file has been read behind its first bytes, and what it said.
struct ContentReading: Sendable {
  /// Where to go on. If bytes are missing, a step starts here again.
  var offset = 0
  var facts = MediaFacts()
  /// Whether the start of a picture or of sound has been seen, behind a header that can be believed.
  var hasContent = false
  /// Of a RIFF file: whether the header has been seen, and its bytes of sound a second.
  var hasHeader = false
  var bytesPerSecond = 0
  /// Whether the offset is that of a block of a GIF's picture or extension.
  var isInBlocks = false
  /// Real files need some hundreds before the content.
  private var stepsLeft = 65_536

  /// Counts a step over a segment, a chunk or padding. Returns false if there were too many.
  mutating func takeStep() -> Bool {
    stepsLeft -= 1
    return stepsLeft >= 0
  }
}
