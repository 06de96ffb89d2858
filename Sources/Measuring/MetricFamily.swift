package import Supporting

/// All values of one metric, in Prometheus's terms.
package struct MetricFamily: Sendable {
  package enum Kind: String, Sendable { case counter, gauge, histogram }

  package enum Value: Sendable {
    case count(UInt64)
    case number(Double)
    case histogram(Histogram)
  }

  package struct Label: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package typealias Sample = (labels: [Label], value: Value)

  /// The name with its unit, and `_total` for a counter, but without the suffixes of a histogram.
  package let name: String
  package let kind: Kind
  package let help: String
  package let samples: [Sample]

  package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
  }

  package static func counter(_ name: String, _ help: String, _ value: UInt64) -> MetricFamily {
    MetricFamily(name, .counter, help, [([], .count(value))])
  }

  package static func gauge(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
    MetricFamily(name, .gauge, help, [([], .number(value))])
  }

  package static func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
    gauge(name, help, Double(value))
  }
}
