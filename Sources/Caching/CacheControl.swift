internal import Supporting

/// The Cache-Control field of a response (RFC 9111 section 5.2.2), as a shared cache has to read it.
struct CacheControl: Equatable, Sendable {
  /// The time that a directive gives.
  enum Age: Equatable, Sendable {
    case seconds(Int64)
    /// Negative, not a number, or given twice: taken as not fresh.
    case malformed

    /// Nil if it is malformed.
    var milliseconds: Int64? { if case .seconds(let seconds) = self { seconds * 1_000 } else { nil } }
  }

  /// `no-store`, and `private`: this cache is shared.
  private(set) var forbidsStoring = false
  /// `no-cache`.
  private(set) var demandsValidation = false
  private var maximumAge: Age?
  private var sharedMaximumAge: Age?

  /// How old the response may become; nil if it does not say.
  var lifetime: Age? { sharedMaximumAge ?? maximumAge }

  /// - Parameter values: of all fields of that name. Other directives are skipped.
  init(_ values: [String]) {
    for (name, argument) in values.flatMap({ Self.directives($0) }) {
      switch name {
      // Also with field names as arguments: single fields are not kept apart here.
      case "no-store", "private": forbidsStoring = true
      case "no-cache": demandsValidation = true
      case "max-age": maximumAge = maximumAge == nil ? Self.age(argument) : .malformed
      case "s-maxage": sharedMaximumAge = sharedMaximumAge == nil ? Self.age(argument) : .malformed
      default: continue
      }
    }
  }

  /// Delta-seconds (RFC 9111 section 1.2.2): a number that is too large counts as the largest one.
  static func age(_ text: Substring) -> Age {
    var digits = text
    if digits.count > 1, digits.hasPrefix("\""), digits.hasSuffix("\"") {
      digits = digits.dropFirst().dropLast()
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return .malformed }
    return .seconds(min(Int64(digits) ?? .max, 1 << 31))
  }

  /// Splits at commas outside of quotes.
  private static func directives(_ text: String) -> [(name: String, argument: Substring)] {
    var isQuoted = false
    var isEscaped = false
    let parts = text.split { character in
      defer { isEscaped = isQuoted && character == "\\" && !isEscaped }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
    return parts.map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (sides[0].trimmed.lowercased(), sides.count == 2 ? sides[1].trimmed : "")
    }
  }
}

extension Substring {
  /// Without the white space around it.
  var trimmed: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
