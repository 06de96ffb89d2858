/// Finds out what a body is, from its bytes alone.
///
/// Safe to share: everything but libmagic is stateless, and libmagic is asked by one caller at a time.
package final class Sniffer: Sendable {
  private let database: MagicDatabase

  /// One sniffer serves the process.
  ///
  /// - Parameter opensMagicWhenAsked: whether libmagic's database is opened with the first body that is
  ///   nothing iOS takes: 0.2 ms, 5 ms when it has to come from disk, which a process for one payload mostly
  ///   saves. Where it fails its own test then, such a body is rejected all the same, under a name that says
  ///   so; otherwise there is no sniffer.
  package init(opensMagicWhenAsked: Bool = false) throws(SnifferError) {
    database = try MagicDatabase(opensWhenAsked: opensMagicWhenAsked)
  }

  /// Says what the first `available` bytes of a body are.
  ///
  /// Most kinds are decided by 4 KB. A pure function of the bytes: in how many pieces they came, and how
  /// often it was asked before, makes no difference. At most 128 KB are read for one body, all calls
  /// together.
  ///
  /// - Parameters:
  ///   - available: How many bytes of the body `read` can give.
  ///   - isComplete: Whether there will be no more. The answer is final then.
  ///   - read: Fills the span with bytes from the offset on, all within `available`, and returns how many.
  /// - Returns: The verdict, or how many bytes it takes.
  package func examine(
    available: Int, isComplete: Bool, read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> Examination {
    if available <= 0 { return isComplete ? .rejected(name: "empty file") : .undecided(needs: Body.headSize) }
    return withoutActuallyEscaping(read) { read in
      var body = Body(available: available, isComplete: isComplete, read: read)
      do throws(Shortage) {
        return try examine(&body)
      } catch {
        return .undecided(needs: error.end.roundedUp(toMultipleOf: Body.headSize))
      }
    }
  }

  /// The order of questions: what is certain comes first, what is a guess comes last.
  private func examine(_ body: inout Body) throws(Shortage) -> Examination {
    if let found = try Signature.examine(&body) { return found }
    if let found = try MPEGAudioRule.examine(&body) { return found }
    if try isTransportStream(&body) { return .rejected(name: "MPEG transport stream") }
    if let found = try TextRule.examine(&body) { return found }
    let start = try body.first4KB()
    let opinion = database.opinion(of: start)
    if let name = opinion.certainName { return .rejected(name: name) }
    if try MPEGAudioRule.isFoundBehindJunk(&body) { return .accepted(.mp3) }
    if let name = opinion.likelyName { return .rejected(name: name) }
    if TextRule.isText(start) { return .rejected(name: "plain text") }
    if let trouble = opinion.trouble { return .rejected(name: "unknown data; \(trouble)") }
    return .rejected(name: opinion.guessedName ?? "unknown data")
  }

  /// Packets of 188 bytes, each starting with 47 hexadecimal; on Blu-ray behind a time stamp of four bytes.
  ///
  /// Source: ISO/IEC 13818-1, 2.4.3.2; libmagic wants the programme table first and misses half of them.
  private func isTransportStream(_ body: inout Body) throws(Shortage) -> Bool {
    for (start, packet) in [(0, 188), (4, 192)] where try body.byte(at: start) == 0x47 {
      let second = try body.byte(at: start + packet)
      let third = try body.byte(at: start + 2 * packet)
      if second == 0x47, third == 0x47 { return true }
    }
    return false
  }
}

extension Int {
  /// The multiple that is not below, or `Int.max` where there is none.
  fileprivate func roundedUp(toMultipleOf step: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(step - 1)
    return overflow ? .max : sum - sum % step
  }
}
