import Testing

@testable import Working

@Suite("Troubles of a worker")
struct TroublesTests {
  private let start = ContinuousClock.now
  private let troubles = Troubles()

  @Test("a trouble is reported at once, then every ten seconds, and when it is over")
  func lasting() {
    #expect(troubles.end(.publishing, at: start) == nil)
    #expect(troubles.meet(.publishing, at: start) == 1)
    for second in 1...9 {
      for _ in 0..<20 { #expect(troubles.meet(.publishing, at: start + .seconds(second)) == nil) }
    }
    #expect(troubles.meet(.publishing, at: start + .seconds(10)) == 181)
    #expect(troubles.meet(.publishing, at: start + .seconds(15)) == nil)
    #expect(troubles.end(.publishing, at: start + .seconds(16)) == .seconds(16))
    #expect(troubles.end(.publishing, at: start + .seconds(16)) == nil)
    #expect(troubles.meet(.publishing, at: start + .seconds(17)) == 1)
  }

  @Test("each kind of trouble is reported separately") func kinds() {
    for kind in Troubles.Kind.allCases { #expect(troubles.meet(kind, at: start) == 1) }
    for kind in Troubles.Kind.allCases { #expect(troubles.meet(kind, at: start) == nil) }
  }

  @Test("a trouble that comes and goes does not fill the log") func flapping() {
    var lines = 0
    for step in 0..<1_000 {
      let now = start + .milliseconds(10 * step)
      if troubles.meet(.taking, at: now) != nil { lines += 1 }
      if troubles.end(.taking, at: now) != nil { lines += 1 }
    }
    #expect(lines == 20)
  }
}
