import Enriching
@testable import Measuring
import TestSupport
import Supporting
import Testing

@Suite("The text for Prometheus")
struct PrometheusTextTests {
  @Test("follows the format to the letter") func exact() {
    let families = [
      .counter("a_total", #"Of a \ and\#na line."#, 3),
      MetricFamily(
        "b_bytes", .gauge, "Of b.",
        [([.init("x", "\"\\\n"), .init("y", "")], .number(1.5)), ([.init("x", "é")], .number(2))]),
      MetricFamily("none", .gauge, "Of nothing.", []),
    ]
    #expect(
      PrometheusText(families).text == #"""
        # HELP a_total Of a \\ and\na line.
        # TYPE a_total counter
        a_total 3
        # HELP b_bytes Of b.
        # TYPE b_bytes gauge
        b_bytes{x="\"\\\n",y=""} 1.5
        b_bytes{x="é"} 2

        """#)
  }

  @Test("escapes characters that are invisible or misleading") func escapes() throws {
    let families = [
      MetricFamily("a", .gauge, "Of a\u{2028}.", [([.init("x", "\u{202E}b\u{1b}\u{a0}")], .number(1))])
    ]
    let text = PrometheusText(families).text
    #expect(text.contains(#"a{x="\\u{202E}b\\u{1B}\\u{00A0}"} 1"#))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 >= " " && $0 <= "~" })
    #expect(try Exposition(text).value("a", ["x": #"\u{202E}b\u{1B}\u{00A0}"#]) == 1)
  }

  @Test("has histograms with cumulative buckets in seconds, a sum and a count") func histogram() throws {
    var histogram = Histogram()
    for microseconds in [400, 1_500, 1_600, 40_000_000] { histogram.add(microseconds: microseconds) }
    let text = PrometheusText([
      MetricFamily("d_seconds", .histogram, "Of d.", [([.init("stage", "tls")], .histogram(histogram))])
    ]).text
    #expect(text.contains(#"d_seconds_bucket{stage="tls",le="0.001"} 1"#))
    #expect(text.contains(#"d_seconds_bucket{stage="tls",le="0.0025"} 3"#))
    #expect(text.contains(#"d_seconds_bucket{stage="tls",le="30"} 3"#))
    #expect(text.contains(#"d_seconds_bucket{stage="tls",le="+Inf"} 4"#))
    #expect(text.hasSuffix("d_seconds_sum{stage=\"tls\"} 40.0035\nd_seconds_count{stage=\"tls\"} 4\n"))
    let exposition = try Exposition(text)
    #expect(exposition.value("d_seconds_count", ["stage": "tls"]) == 4)
  }

  @Test(
    "of a worker passes a strict parser, before it has done anything and after",
    arguments: ["dead", "out", "in\"coming"])
  func worker(letters: String) throws {
    let measurements = Measurements()
    let (from, to) = ([MetricFamily.Label("q", "in\"coming")], [MetricFamily.Label("q", "out")])
    for _ in 0..<2 {
      let families = measurements.tally().metrics(from: from, to: to, deadLetters: [.init("q", letters)])
      let exposition = try Exposition(PrometheusText(families).text)
      // A family without samples is left out: only a door has answers.
      let written = families.filter { !$0.samples.isEmpty }
      #expect(exposition.families.map(\.name) == written.map(\.name))
      measurements.receive(3)
      measurements.failToReceive()
      measurements.failToPublish("unavailable")
      measurements.failToPublish("unavailable", isDeadLetter: true)
      measurements.publish(nil, nil, isDeadLetter: false, after: .milliseconds(3))
    }
  }

  @Test("has one value for results and dead letters if their queues have the same name") func sameName()
    throws
  {
    let measurements = Measurements()
    measurements.publish(nil, nil, isDeadLetter: false, after: .milliseconds(3))
    measurements.publish(Failure(.poison, ""), nil, isDeadLetter: true, after: .milliseconds(3))
    measurements.failToPublish("unavailable")
    measurements.failToPublish("unavailable", isDeadLetter: true)
    let labels = [MetricFamily.Label("q", "out")]
    let families = measurements.tally().metrics(from: [], to: labels, deadLetters: labels)
    let exposition = try Exposition(PrometheusText(families).text)
    #expect(exposition.value("messaging_client_sent_messages_total", ["q": "out"]) == 3)
    #expect(
      exposition.value(
        "messaging_client_sent_messages_total", ["q": "out", "error_type": "unavailable"]) == 2)
  }

  @Test(
    "is refused by the test's parser if it is wrong",
    arguments: [
      "a 1\n", "# HELP a A.\n# TYPE a gauge\na 1", "# HELP a A.\n# TYPE b gauge\nb 1\n",
      "# TYPE a gauge\na 1\n",
      "# HELP a A.\n# TYPE a gauge\nb 1\n", "# HELP a A.\n# TYPE a gauge\na 1\na 1\n",
      "# HELP a A.\n# TYPE a counter\na 1\n",
      "# HELP a A.\n# TYPE a gauge\na{b=\"c\"d=\"e\"} 1\n", "# HELP a A.\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
      "# HELP a A.\n# TYPE a gauge\na one\n", "# HELP a A.\n# TYPE a gauge\n",
      "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
      "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
    ])
  func wrong(text: String) {
    #expect(throws: Exposition.Fault.self) { try Exposition(text) }
  }
}
