extension Exposition {
  /// Parses a line with a value.
  static func sample(_ line: Substring) throws(Fault) -> Sample {
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

  /// Takes a quoted value and its closing quote.
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
