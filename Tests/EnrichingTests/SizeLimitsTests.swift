import Sniffing
import Testing

@testable import Enriching

@Suite("SizeLimits")
struct SizeLimitsTests {
  /// Apple, UNNotificationAttachment, "Supported File Types".
  @Test("are Apple's, in millions of bytes") func defaults() {
    let limits = SizeLimits()
    #expect(MediaFamily.allCases.map { limits[$0] } == [5_000_000, 10_000_000, 50_000_000])
    #expect(limits.largest == 50_000_000)
  }

  @Test(
    "hold a picture to its pixels, in all its frames, and to its longest side",
    arguments: [
      (MediaFacts(), false), (MediaFacts(width: 7_071, height: 7_071), false),
      (MediaFacts(width: 7_072, height: 7_072), true), (MediaFacts(width: 20_000, height: 2_500), false),
      (MediaFacts(width: 20_001, height: 1), true), (MediaFacts(width: 1, height: 20_001), true),
      (MediaFacts(width: 1_000, height: 500, frames: 100), false),
      (MediaFacts(width: 1_000, height: 500, frames: 101), true),
      (MediaFacts(width: 1, height: 1, frames: .max), true),
      (MediaFacts(width: 1, height: 1, frames: 0), false),
      (MediaFacts(width: .max, height: .max, frames: .max), true), (MediaFacts(milliseconds: .max), false),
    ])
  func pixels(facts: MediaFacts, isExceeded: Bool) {
    #expect(SizeLimits().areExceeded(by: facts, of: .image) == isExceeded)
    var limits = SizeLimits()
    (limits.pixels, limits.side) = (.max, .max)
    #expect(limits.areExceeded(by: facts, of: .image) == (facts.width == .max))
  }

  @Test("hold a movie to its longest side only") func movies() {
    var limits = SizeLimits()
    limits.pixels = 1
    #expect(!limits.areExceeded(by: MediaFacts(width: 7_680, height: 20_000), of: .video))
    #expect(limits.areExceeded(by: MediaFacts(width: 1, height: 20_001), of: .video))
  }

  @Test("can be set for each family", arguments: MediaFamily.allCases)
  func family(family: MediaFamily) {
    var limits = SizeLimits()
    limits[family] = 60_000_000
    #expect(limits[family] == 60_000_000)
    #expect(limits.largest == 60_000_000)
    for other in MediaFamily.allCases where other != family { #expect(limits[other] == SizeLimits()[other]) }
  }
}
