import Supporting
import Testing

@testable import Measuring

@Suite("A histogram")
struct HistogramTests {
  @Test("puts a duration into the first bucket whose upper bound it does not exceed") func ranges() {
    var histogram = Histogram()
    for microseconds in [-1, 0, 1_000, 1_001, 30_000_000, 30_000_001, .max / 2] {
      histogram.add(microseconds: microseconds)
    }
    #expect(histogram.counts == [3, 1] + [UInt64](repeating: 0, count: 12) + [1, 2])
    #expect(histogram.count == 7)
  }

  @Test("has no quantiles while it is empty") func empty() {
    #expect(Histogram().quantile(0.5) == nil)
    #expect(Histogram().count == 0)
  }

  @Test("interpolates evenly within a bucket") func quantiles() {
    var histogram = Histogram()
    for _ in 0..<50 { histogram.add(microseconds: 2_000) }
    for _ in 0..<50 { histogram.add(microseconds: 90_000) }
    #expect(histogram.quantile(0.5) == 2_500)
    #expect(histogram.quantile(0.25) == 1_750)
    #expect(histogram.quantile(0.75) == 75_000)
    #expect(histogram.quantile(1) == 100_000)
    #expect(histogram.quantile(0) == 1_000)
    #expect(histogram.sum == 4_600_000)
  }

  @Test("reports the largest bound for anything beyond it") func long() {
    var histogram = Histogram()
    histogram.add(microseconds: 60_000_000)
    #expect(histogram.quantile(0.5) == 30_000_000)
  }
}
