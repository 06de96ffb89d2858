import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("UploadPace")
struct UploadPaceTests {
  private static let video = 50_000_000

  private let pace = UploadPace()
  private let now = MonotonicTime.now

  @Test("expects nothing before the first upload") func new() {
    #expect(pace.time(for: Self.video) == .zero)
  }

  @Test("tells the time for each upload from the time for each byte") func follows() {
    note([1_000, 10_000_000]) { .milliseconds(200 + $0 / 10_000) }
    #expect(milliseconds(for: 0) == 200)
    #expect(milliseconds(for: Self.video) == 5_200)
  }

  @Test("uploads of one size say nothing about larger ones") func oneSize() {
    note([Int](repeating: 100_000, count: 50)) { _ in .milliseconds(80) }
    #expect(milliseconds(for: Self.video) == 80)
  }

  @Test("the chance delays of photos say nothing about videos", arguments: 0..<20 as Range<UInt64>)
  func photos(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let isHeldUp = Int.random(in: 0..<50, using: &generator) == 0
      let delay = Int.random(in: 40...200, using: &generator) + (isHeldUp ? 1_000 : 0)
      note([Int.random(in: 20_000...300_000, using: &generator)]) { .milliseconds(delay + $0 / 20_000) }
      #expect(pace.time(for: Self.video, at: now) < .seconds(20))
    }
  }

  @Test("expects a slow store to stay slow while it is used") func slow() {
    note([10_000, 10_000_000, 100_000, 1_000_000, 300_000, 10_000, 2_000_000]) { .microseconds($0) }
    #expect(pace.time(for: Self.video, at: now) > .seconds(20))
    #expect(pace.time(for: 100_000, at: now) < .seconds(1))
    // Even if most uploads are small.
    note([100_000, 200_000, 50_000, 300_000]) { .microseconds($0) }
    #expect(pace.time(for: Self.video, at: now) > .seconds(20))
  }

  @Test("learns that a store has become fast again") func recovers() {
    let sizes = [10_000, 10_000_000, 100_000, 1_000_000, 300_000]
    note(sizes) { .microseconds($0) }
    note(sizes + sizes) { .milliseconds(20 + $0 / 50_000) }
    #expect(pace.time(for: Self.video, at: now) < .seconds(5))
    // Photos alone show it, too.
    note(sizes) { .microseconds($0) }
    note((0..<40).map { 50_000 + $0 * 5_000 }) { _ in .milliseconds(80) }
    #expect(pace.time(for: Self.video, at: now) < .seconds(5))
  }

  @Test("expects less and less of a store that it does not use") func ages() {
    note([1_000, 10_000_000]) { _ in .seconds(20) }
    #expect(milliseconds(for: 0, after: 9) == 20_000)
    #expect(milliseconds(for: 0, after: 20) == 5_000)
    #expect(milliseconds(for: Self.video, after: 3_600) == 0)
    #expect(milliseconds(for: Self.video, after: 360_000) == 0)
  }

  @Test("learns from uploads that were given up only that they are slow") func abandoned() {
    pace.note(1_000, took: .seconds(4), at: now)
    pace.noteAbandoned(1_000, after: .seconds(1), at: now)
    #expect(milliseconds(for: 0) == 4_000)
    pace.noteAbandoned(1_000, after: .seconds(11), at: now)
    #expect(milliseconds(for: 0) == 8_000)
  }

  private func note(_ sizes: [Int], _ time: (Int) -> Duration) {
    for size in sizes { pace.note(size, took: time(size), at: now) }
  }

  private func milliseconds(for bytes: Int, after seconds: Int = 0) -> Int {
    (pace.time(for: bytes, at: now + .seconds(seconds)) + .microseconds(500)).milliseconds
  }
}
