/// A page of metrics, parsed strictly by the text format of Prometheus, version 0.0.4.
package struct Exposition: Equatable, Sendable {
  package struct Sample: Equatable, Sendable {
    package let name: String
    package let labels: [String: String]
    package let value: Double
  }

  package struct Family: Equatable, Sendable {
    package let name: String
    package let help: String
    package let type: String
    package var samples: [Sample] = []
  }

  /// A line that is wrong, and why.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let line: String
    package let reason: String

    package var description: String { "\(reason): \(line)" }
  }

  package private(set) var families: [Family] = []

  /// - Throws: `Fault` for the first wrong line. A name that does not belong to the family before
  ///   it, a duplicate label or series, and a histogram that does not add up are wrong, too.
  package init(_ text: String) throws(Fault) {
    guard text.hasSuffix("\n") else { throw Fault(line: "", reason: "the last line has no end") }
    var help: (name: String, text: String)?
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("# HELP ") {
        let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, help == nil else {
          throw Fault(line: String(line), reason: "HELP without a text")
        }
        help = (String(parts[0]), String(parts[1]))
      } else if line.hasPrefix("# TYPE ") {
        let parts = line.dropFirst(7).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let known = help, known.name == parts[0],
          ["counter", "gauge", "histogram"].contains(parts[1]),
          !families.contains(where: { $0.name == known.name })
        else {
          throw Fault(line: String(line), reason: "TYPE that does not follow its HELP, or a second one")
        }
        families.append(Family(name: known.name, help: known.text, type: String(parts[1])))
        help = nil
      } else {
        guard let index = families.indices.last, help == nil else {
          throw Fault(line: String(line), reason: "a sample without HELP and TYPE")
        }
        let sample = try Self.sample(line)
        guard families[index].suffixes.contains(where: { families[index].name + $0 == sample.name }) else {
          throw Fault(line: String(line), reason: "a sample of another family")
        }
        guard
          !families[index].samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels })
        else {
          throw Fault(line: String(line), reason: "a second value of the same")
        }
        families[index].samples.append(sample)
      }
    }
    for family in families { try family.check() }
  }

  /// The value of a series; nil if there is no such series.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  /// The sum over all series of that name that have at least these labels.
  package func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
    families.lazy.flatMap(\.samples)
      .filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value } }
      .reduce(0) { $0 + $1.value }
  }
}
