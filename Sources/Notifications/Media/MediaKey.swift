/// A place in a payload where a sender puts media, for senders that have no row in the table:
/// `data.hero.image`. Digits index arrays, a backslash takes a dot or a backslash for part of a name, and a
/// string that is JSON is looked into.
package struct MediaKey: Equatable, Sendable, CustomStringConvertible {
  /// Names and indices, without escapes; at least one, none empty.
  package let steps: [String]

  /// - Throws: what is wrong, and in its description what would be right.
  package init(_ text: String) throws(MediaKeyError) {
    guard !text.isEmpty else { throw .empty }
    var steps = [""]
    var characters = text.unicodeScalars.makeIterator()
    while let character = characters.next() {
      switch character {
      case "\\":
        guard let escaped = characters.next() else { throw .unfinishedEscape(text) }
        guard escaped == "." || escaped == "\\" else { throw .unknownEscape(text, Character(escaped)) }
        steps[steps.count - 1].unicodeScalars.append(escaped)
      case ".": steps.append("")
      default: steps[steps.count - 1].unicodeScalars.append(character)
      }
    }
    guard !steps.contains("") else { throw .emptyStep(text) }
    self.steps = steps
  }

  package var description: String { steps.map(Self.escape).joined(separator: ".") }

  /// A name as it is spelled in a media key.
  package static func escape(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") }) else {
      return name
    }
    var escaped = ""
    for scalar in name.unicodeScalars {
      if scalar == "." || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

/// Why a text is not a valid media key. Each case carries the text.
package enum MediaKeyError: Error, Equatable {
  case empty
  /// A dot at the start, at the end or after another one.
  case emptyStep(String)
  /// A backslash at the end.
  case unfinishedEscape(String)
  /// A backslash before anything but a dot and a backslash.
  case unknownEscape(String, Character)
}

extension MediaKeyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty:
      "a media key is empty; it is a path such as data.image"
    case .emptyStep(let text):
      #"media key “\#(text)”: nothing before, between or after a dot; write data.image, or data\.image for one name with a dot in it"#
    case .unfinishedEscape(let text):
      #"media key “\#(text)”: ends with a backslash; write \\ for a backslash in a name"#
    case .unknownEscape(let text, let character):
      #"media key “\#(text)”: \\#(character) is no escape; write \. for a dot or \\ for a backslash in a name"#
    }
  }
}
