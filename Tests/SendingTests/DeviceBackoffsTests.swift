import Supporting
import Testing

@testable import Sending

/// The pauses of devices whose pushes APNs wants later.
@Suite("Pauses of devices") struct DeviceBackoffsTests {
  private static func batch() throws -> PushBatch { PushBatch([try PushRequestTests.request()]) }

  @Test("double, and end with an accepted push") func doubling() throws {
    var backoffs = DeviceBackoffs()
    let (batch, now) = (try Self.batch(), MonotonicTime.now)
    let pauses = (0..<12).map { _ in backoffs.next(for: "ab", of: batch, at: now) }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].map { .seconds($0) })
    #expect(backoffs.rest(of: "ab", at: now) == .seconds(900))
    #expect(backoffs.rest(of: "cd", at: now) == nil)
    backoffs.succeed("ab")
    #expect(backoffs.rest(of: "ab", at: now) == nil)
  }

  @Test("outlast the batch, but do not keep it and its payloads in memory") func memory() throws {
    var backoffs = DeviceBackoffs()
    let now = MonotonicTime.now
    weak var kept: PushBatch?
    do {
      let batch = try Self.batch()
      kept = batch
      _ = backoffs.next(for: "ab", of: batch, at: now)
      // The batch has no answer yet, so its sender does not know of the pause.
      #expect(backoffs.rest(of: "ab", at: now + .seconds(1)) == .milliseconds(100))
      withExtendedLifetime(batch) {}
    }
    #expect(kept == nil)
    #expect(backoffs.rest(of: "ab", at: now) == .seconds(1))
    #expect(backoffs.rest(of: "ab", at: now + .seconds(1)) == nil)
  }
}
