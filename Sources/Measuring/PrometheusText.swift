internal import Supporting

/// Metrics in Prometheus's text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
package struct PrometheusText {
  package private(set) var text = ""

  /// - Parameter families: the metrics to write. Those without samples are left out.
  package init(_ families: [MetricFamily]) {
    for family in families where !family.samples.isEmpty {
      text += "# HELP \(family.name) \(Self.escaped(family.help, alsoQuotes: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for sample in family.samples { write(sample, of: family.name) }
    }
  }

  private mutating func write(_ sample: MetricFamily.Sample, of name: String) {
    switch sample.value {
    case .count(let value): line(name, sample.labels, "\(value)")
    case .number(let value): line(name, sample.labels, Self.spelling(value))
    case .histogram(let histogram):
      var count: UInt64 = 0
      for (inside, bound) in zip(histogram.counts, Histogram.bounds.map(Self.seconds) + ["+Inf"]) {
        count &+= inside
        line("\(name)_bucket", sample.labels + [MetricFamily.Label("le", bound)], "\(count)")
      }
      line("\(name)_sum", sample.labels, Self.seconds(histogram.sum))
      line("\(name)_count", sample.labels, "\(count)")
    }
  }

  private mutating func line(_ name: String, _ labels: [MetricFamily.Label], _ value: String) {
    let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, alsoQuotes: true))\"" }
    text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(value)\n"
  }

  private static func seconds(_ microseconds: UInt64) -> String { spelling(Double(microseconds) / 1_000_000) }

  /// Writes `1` for `1.0`, as Prometheus does.
  private static func spelling(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func escaped(_ text: String, alsoQuotes: Bool) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += #"\\"#
      case "\n": escaped += #"\n"#
      case "\"" where alsoQuotes: escaped += #"\""#
      case _ where !character.isPrintable: escaped += #"\"# + character.escaped(asASCII: true)
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
