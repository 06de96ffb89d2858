import Supporting
import Testing

@testable import S3Storing

@Suite("KnownObjects")
struct KnownObjectsTests {
  @Test("are known for a minute, and only with their size") func time() {
    let (known, now) = (KnownObjects(), MonotonicTime.now)
    known.note("a", size: 1, at: now)
    #expect(known.contains("a", size: 1, at: now + .seconds(59)))
    #expect(!known.contains("a", size: 2, at: now))
    #expect(!known.contains("b", size: 1, at: now))
    #expect(!known.contains("a", size: 1, at: now + .seconds(60)))
  }

  @Test("are bounded in number") func bound() {
    let (known, now) = (KnownObjects(), MonotonicTime.now)
    for number in 0...KnownObjects.maximum { known.note("\(number)", size: 1, at: now) }
    #expect(!known.contains("0", size: 1, at: now))
    #expect(known.contains("1", size: 1, at: now))
    #expect(known.contains("\(KnownObjects.maximum)", size: 1, at: now))
  }
}
