import TestSupport
import Testing

@testable import Sniffing

/// Every file of every folder of media, cut at many places.
@Suite("Pieces") struct PieceTests {
  static let folders = [
    Fixtures.media, Fixtures.movies, Fixtures.policy, Fixtures.images, Fixtures.lookAlikes,
  ]

  private static func files(in folder: String) throws -> [(name: String, bytes: [UInt8])] {
    try Files.names(in: folder).filter { $0 != "make" }.map { ($0, try Files.read("\(folder)/\($0)")) }
  }

  @Test(
    "a file that grows gets the verdict of the whole, or none as long as more may come", arguments: folders)
  func growing(folder: String) throws {
    let sniffer = try Sniffer.shared.get()
    for (name, bytes) in try Self.files(in: folder) {
      let whole = sniffer.examine(bytes)
      let body = RecordedBody(bytes)
      var examination = MediaExamination()
      examination.needs = 0
      var wanted = 0
      for place in 1..<200 {
        let available = bytes.count * place / 200
        let verdict = examination.proceed(available: available, isComplete: false, with: sniffer) {
          body.read(at: $0, into: &$1)
        }
        if case .undecided(let needs) = verdict {
          #expect(needs > available && needs >= wanted, "\(name), \(available) bytes")
          wanted = needs
        } else if case .accepted = verdict, case .rejected = whole {
          // The rest of a file can show that it is not what it seemed to be.
        } else {
          #expect(verdict == whole, "\(name), \(available) bytes")
        }
        if case .rejected = verdict { break }
      }
    }
  }

  /// The other folders have tests of their own, which know where a file begins to be acceptable.
  @Test("a file that is refused is refused wherever it ends")
  func cut() throws {
    let sniffer = try Sniffer.shared.get()
    for (name, bytes) in try Self.files(in: Fixtures.lookAlikes)
    // The same file is there with three kinds of MP3. One of them is enough.
    where !name.hasSuffix("-headed") && !name.hasSuffix("-tagged") {
      guard case .rejected = sniffer.examine(bytes) else { continue }
      for count in Set((0..<200).map { bytes.count * $0 / 200 }) {
        let start = Array(bytes.prefix(count))
        switch sniffer.examine(start) {
        case .rejected: break
        // A length that leads beyond the end of the file does not count.
        case .accepted where name.hasPrefix("length-"): break
        case let verdict: Issue.record("\(name), \(start.count) bytes: \(verdict)")
        }
      }
    }
  }

  @Test("a file has one verdict and the same facts, whatever pieces it arrives in", arguments: folders)
  func pieces(folder: String) throws {
    var random = SeededGenerator(seed: 54)
    let sniffer = try Sniffer.shared.get()
    for (name, bytes) in try Self.files(in: folder) {
      let (whole, facts) = (sniffer.examine(bytes), sniffer.facts(of: bytes))
      for _ in 0..<4 {
        let body = RecordedBody(bytes)
        var examination = MediaExamination()
        var (available, verdict) = (0, Examination.undecided(needs: 0))
        while available < bytes.count {
          available += Int.random(in: 1...Int.random(in: 1...16_384, using: &random), using: &random)
          available = min(available, bytes.count)
          verdict = examination.proceed(
            available: available, isComplete: available == bytes.count, with: sniffer
          ) { body.read(at: $0, into: &$1) }
          if case .rejected = verdict { break }
        }
        #expect(verdict == whole, "\(name)")
        if case .accepted = whole { #expect(examination.facts == facts, "\(name)") }
      }
    }
  }
}
