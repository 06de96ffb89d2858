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
      (MediaFacts(), nil), (MediaFacts(width: 7_071, height: 7_071), nil),
      (MediaFacts(width: 7_072, height: 7_072), .pixels), (MediaFacts(width: 20_000, height: 2_500), nil),
      (MediaFacts(width: 20_001, height: 1), .side), (MediaFacts(width: 1, height: 20_001), .side),
      (MediaFacts(width: 1_000, height: 500, frames: 100), nil),
      (MediaFacts(width: 1_000, height: 500, frames: 101), .pixels),
      (MediaFacts(width: 1, height: 1, frames: .max), .pixels),
      (MediaFacts(width: 1, height: 1, frames: 0), nil),
      (MediaFacts(width: .max, height: .max, frames: .max), .side), (MediaFacts(milliseconds: .max), nil),
    ] as [(MediaFacts, SizeLimits.Excess?)])
  func pixels(facts: MediaFacts, excess: SizeLimits.Excess?) {
    #expect(SizeLimits().excess(of: facts, of: .image) == excess)
    var limits = SizeLimits()
    (limits.pixels, limits.side) = (.max, .max)
    #expect(limits.excess(of: facts, of: .image) == (facts.width == .max ? .pixels : nil))
  }

  @Test("hold a movie to its longest side only") func movies() {
    var limits = SizeLimits()
    limits.pixels = 1
    #expect(limits.excess(of: MediaFacts(width: 7_680, height: 20_000), of: .video) == nil)
    #expect(limits.excess(of: MediaFacts(width: 1, height: 20_001), of: .video) == .side)
  }

  @Test("are named in the failure if a medium does not keep them") func words() {
    let limits = SizeLimits()
    let film = Failure.tooManyPixels(.mp4, MediaFacts(width: 1, height: 20_001), .side, limits)
    #expect(
      film.detail == "\(MediaFormat.mp4.displayName.withArticle) of 1 × 20001 pixels: a side may have 20,000")
    #expect(
      film.advice == "scale it down to 20,000 pixels a side; --limits side= sets how many are accepted")
    let frames = MediaFacts(width: 9_000, height: 9_000, frames: 6)
    let many = Failure.tooManyPixels(.gif, frames, .pixels, limits)
    #expect(
      many.detail.hasSuffix(" of 9000 × 9000 pixels in 6 frames: all frames together may have 50 million"))
    #expect(many.advice.hasPrefix("send a picture with fewer pixels or frames; --limits pixels="))
    let one = Failure.tooManyPixels(.png, MediaFacts(width: 9_000, height: 9_000), .pixels, limits)
    #expect(one.detail.hasSuffix(" of 9000 × 9000 pixels: it may have 50 million"))
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
