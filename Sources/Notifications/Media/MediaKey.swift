internal import Supporting

/// A place for media that no dialect in the table covers, such as `data.hero.image`. Digits index
/// arrays. A backslash escapes a dot or a backslash. The path may lead through JSON in a string.
package struct MediaKey: Equatable, Sendable, CustomStringConvertible {
  /// Names and indices without escapes. There is at least one, and none is empty.
  package let steps: [String]
  /// The indices of the steps that stand for every element or member.
  let wildcards: Set<Int>

  /// - Parameter steps: names and indices without escapes, at least one, none of them empty.
  package init(steps: [String]) { (self.steps, wildcards) = (steps, []) }

  package init(_ text: String) throws(MediaKeyError) {
    guard !text.isEmpty else { throw .empty }
    var steps = [""]
    var escapes: Set<Int> = []
    var characters = text.unicodeScalars.makeIterator()
    while let character = characters.next() {
      switch character {
      case "\\":
        guard let escaped = characters.next() else { throw .unfinishedEscape(text) }
        guard escaped == "." || escaped == "*" || escaped == "\\" else {
          throw .unknownEscape(text, Character(escaped))
        }
        steps[steps.count - 1].unicodeScalars.append(escaped)
        escapes.insert(steps.count - 1)
      case ".": steps.append("")
      default: steps[steps.count - 1].unicodeScalars.append(character)
      }
    }
    guard !steps.contains("") else { throw .emptyStep(text) }
    self.steps = steps
    wildcards = Set(steps.indices.filter { steps[$0] == "*" && !escapes.contains($0) })
  }

  package var description: String {
    steps.indices.map { wildcards.contains($0) ? steps[$0] : Self.escape(steps[$0]) }
      .joined(separator: ".")
  }

  /// The spelling of a name in a media key.
  package static func escape(_ name: String) -> String {
    if name == "*" { return #"\*"# }
    if name.allBytes({ $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "\\") }) { return name }
    var escaped = ""
    for scalar in name.unicodeScalars {
      if scalar == "." || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

/// Why a text is not a media key.
package enum MediaKeyError: Error, Equatable, CustomStringConvertible {
  case empty
  case emptyStep(String)
  case unfinishedEscape(String)
  case unknownEscape(String, Character)

  package var description: String {
    switch self {
    case .empty: "it is empty: write a path like data.image"
    case .emptyStep(let text):
      #"“\#(text)”: a name is missing before, between or after dots; write data.image, or data\.image for one name with a dot in it"#
    case .unfinishedEscape(let text):
      #"“\#(text)”: ends with a backslash; write \\ for a backslash in a name"#
    case .unknownEscape(let text, let character):
      #"“\#(text)”: \\#(character) is not an escape; write \. for a dot, \* for an asterisk or \\ for a backslash in a name"#
    }
  }
}
