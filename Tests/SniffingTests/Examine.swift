@testable import Sniffing

/// A body in memory that records what is read of it.
final class RecordedBody {
  let bytes: [UInt8]
  private(set) var bytesRead = 0
  private(set) var reads = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(at offset: Int, into span: inout MutableSpan<UInt8>) -> Int {
    let piece = bytes[offset...].prefix(span.count)
    unsafe span.withUnsafeMutableBytes { unsafe $0.copyBytes(from: piece) }
    bytesRead += piece.count
    reads += 1
    return piece.count
  }
}

extension Sniffer {
  static let shared = Result { () throws(SnifferError) in try Sniffer() }

  func examine(_ bytes: [UInt8], isComplete: Bool = true) -> Examination {
    let body = RecordedBody(bytes)
    var examination = MediaExamination()
    examination.needs = 0
    return examination.proceed(available: bytes.count, isComplete: isComplete, with: self) {
      body.read(at: $0, into: &$1)
    }
  }

  /// What a complete body says about itself.
  func facts(of bytes: [UInt8]) -> MediaFacts {
    let body = RecordedBody(bytes)
    var examination = MediaExamination()
    _ = examination.proceed(available: bytes.count, isComplete: true, with: self) {
      body.read(at: $0, into: &$1)
    }
    return examination.facts
  }
}

/// The verdict on a body that arrived in pieces, and the work that it took.
struct Arrival {
  let verdict: Examination
  /// The number of bytes that had arrived when the verdict was reached.
  let decidedAt: Int
  let questions: Int
  let bytesRead: Int
  /// Whether every "not yet" asked for more bytes than there were.
  let alwaysProgressed: Bool
}

extension Sniffer {
  /// Lets `bytes` arrive in pieces of `step`, and asks for a verdict when there are enough.
  func follow(_ bytes: [UInt8], step: Int) -> Arrival {
    let body = RecordedBody(bytes)
    var examination = MediaExamination()
    examination.needs = 0
    var available = 0
    var (decidedAt, questions, needs) = (0, 0, 0)
    var progressed = true
    while true {
      available = min(available + step, bytes.count)
      let isComplete = available == bytes.count
      if available < needs, !isComplete { continue }
      if decidedAt == 0 { questions += 1 }
      let verdict = examination.proceed(available: available, isComplete: isComplete, with: self) {
        body.read(at: $0, into: &$1)
      }
      if case .undecided(let wanted) = verdict, !isComplete {
        progressed = progressed && wanted > available
        needs = wanted
        continue
      }
      if decidedAt == 0 { decidedAt = available }
      // A file that is accepted by its first bytes can still prove to be a stub.
      if case .accepted = verdict, !isComplete { continue }
      return Arrival(
        verdict: verdict, decidedAt: decidedAt, questions: questions, bytesRead: body.bytesRead,
        alwaysProgressed: progressed)
    }
  }
}
