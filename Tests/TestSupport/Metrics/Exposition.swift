/// What a page of metrics says, read as strictly as the text format of Prometheus is written down, version 0.0.4.
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

  /// A line that is not as it should be, and why.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let line: String
    package let reason: String

    package var description: String { "\(reason): \(line)" }
  }

  package private(set) var families: [Family] = []

  /// - Throws: `Fault` for the first line that is wrong: also one whose name does not belong to the family before it, a label or series that
  ///   is there twice, and a histogram that does not add up.
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

  /// The value of a series; nil where there is none.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  /// The sum over all series of that name whose labels are these and perhaps others.
  package func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
    families.lazy.flatMap(\.samples)
      .filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value } }
      .reduce(0) { $0 + $1.value }
  }

  private static func sample(_ line: Substring) throws(Fault) -> Sample {
    var rest = line
    func fault(_ reason: String) -> Fault { Fault(line: String(line), reason: reason) }
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
    guard let first = name.first, !first.isNumber else { throw fault("no name") }
    rest = rest.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest = rest.dropFirst()
      while rest.first != "}" {
        let label = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        rest = rest.dropFirst(label.count)
        guard let first = label.first, !first.isNumber, rest.hasPrefix("=\"") else { throw fault("no label") }
        rest = rest.dropFirst(2)
        guard labels.updateValue(try value(&rest, fault("a label's value")), forKey: String(label)) == nil
        else {
          throw fault("a label twice")
        }
        if rest.first == "," { rest = rest.dropFirst() } else if rest.first != "}" { throw fault("labels") }
      }
      rest = rest.dropFirst()
    }
    guard rest.first == " ", let number = Self.number(rest.dropFirst()) else { throw fault("no number") }
    return Sample(name: String(name), labels: labels, value: number)
  }

  /// Takes a quoted value, and the quote behind it.
  private static func value(_ rest: inout Substring, _ fault: Fault) throws(Fault) -> String {
    var value = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return value
      case "\\":
        guard let escaped = rest.popFirst(), let plain = ["\\": "\\", "\"": "\"", "n": "\n"][escaped] else {
          throw fault
        }
        value += plain
      default: value.append(character)
      }
    }
    throw fault
  }

  private static func number(_ text: Substring) -> Double? {
    switch text {
    case "+Inf": .infinity
    case "-Inf": -.infinity
    case "NaN": .nan
    default: text.allSatisfy { "0123456789.eE+-".contains($0) } ? Double(text) : nil
    }
  }
}

extension Exposition.Family {
  fileprivate var suffixes: [String] { type == "histogram" ? ["_bucket", "_sum", "_count"] : [""] }

  /// Names as Prometheus asks for them, and histograms whose ranges add up.
  fileprivate func check() throws(Exposition.Fault) {
    func fault(_ reason: String) -> Exposition.Fault { Exposition.Fault(line: name, reason: reason) }
    guard !samples.isEmpty else { throw fault("a family without a sample") }
    guard (type == "counter") == name.hasSuffix("_total") else {
      throw fault("counters, and they alone, end in _total")
    }
    guard type == "histogram" else { return }
    let series = Dictionary(grouping: samples) { sample in sample.labels.filter { $0.key != "le" } }
    for (_, samples) in series {
      let buckets = samples.filter { $0.name == "\(name)_bucket" }
      let bounds = buckets.map { bucket in
        bucket.labels["le"] == "+Inf" ? Double.infinity : bucket.labels["le"].flatMap { Double($0) } ?? .nan
      }
      let counts = buckets.map(\.value)
      guard bounds.last == .infinity, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
        zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }),
        samples.filter({ $0.name == "\(name)_count" }).map(\.value) == counts.suffix(1),
        samples.filter({ $0.name == "\(name)_sum" }).count == 1
      else { throw fault("a histogram that does not add up") }
    }
  }
}
