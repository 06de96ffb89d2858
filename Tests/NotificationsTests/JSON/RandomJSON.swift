import TestSupport

/// A JSON text with everything that a rewriting parser would lose, and its expected contents.
struct RandomJSON {
  /// A value as the parser is expected to see it.
  indirect enum Tree: Equatable {
    case scalar(String)
    case array(String, [Tree])
    case object(String, [Member])

    struct Member: Equatable {
      var name: String
      var value: Tree
    }

    var spelling: String {
      switch self {
      case .scalar(let spelling), .array(let spelling, _), .object(let spelling, _): spelling
      }
    }
  }

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func object() -> Tree {
    let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      Tree.Member(name: string(), value: value(depth: 4))
    }
    return object(members)
  }

  mutating func space() -> String {
    (0..<Int.random(in: 0...2, using: &random)).map { _ in pick([" ", "\n", "\t", "\r\n"]) }.joined()
  }

  private mutating func value(depth: Int) -> Tree {
    switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random) {
    case 0: return .scalar(string())
    case 1: return .scalar(pick(["true", "false", "null"]))
    case 2, 3:
      return .scalar(pick(["0", "-0", "1.50", "1E400", "-0.0e-0", "12345678901234567890123", "3e+2"]))
    case 4:
      let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1) }
      let inside = elements.map { space() + $0.spelling + space() }.joined(separator: ",")
      return .array("[" + (elements.isEmpty ? space() : inside) + "]", elements)
    default:
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Tree.Member(name: string(), value: value(depth: depth - 1))
      }
      return object(members)
    }
  }

  private mutating func object(_ members: [Tree.Member]) -> Tree {
    let inside = members.map {
      space() + $0.name + space() + ":" + space() + $0.value.spelling + space()
    }.joined(separator: ",")
    return .object("{" + (members.isEmpty ? space() : inside) + "}", members)
  }

  private mutating func string() -> String {
    let parts = [
      "a", "b", "ü", "😀", #"\u00fc"#, #"\""#, #"\\"#, #"\/"#, #"\ud800"#, "{", "]", ",", ":", #"\n"#,
    ]
    return "\"" + (0..<Int.random(in: 0...3, using: &random)).map { _ in pick(parts) }.joined() + "\""
  }

  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
}
