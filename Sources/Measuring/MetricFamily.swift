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

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package typealias Sample = (labels: [Label], value: Value)

  /// Without what the type puts behind it; with the unit, and `_total` for a counter.
  package let name: String
  package let kind: Kind
  /// One sentence.
  package let help: String
  package let samples: [Sample]

  package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.samples = samples
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
