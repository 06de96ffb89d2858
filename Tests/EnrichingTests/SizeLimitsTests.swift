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

  @Test("can be set for each family", arguments: MediaFamily.allCases)
  func family(family: MediaFamily) {
    var limits = SizeLimits()
    limits[family] = 60_000_000
    #expect(limits[family] == 60_000_000)
    #expect(limits.largest == 60_000_000)
    for other in MediaFamily.allCases where other != family { #expect(limits[other] == SizeLimits()[other]) }
  }
}
