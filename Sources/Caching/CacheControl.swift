internal import Supporting

/// The Cache-Control field of a response, as a shared cache reads it (RFC 9111 section 5.2.2).
struct CacheControl {
  /// `no-store` or `private`.
  private(set) var forbidsStoring = false
  /// `no-cache`.
  private(set) var demandsValidation = false
  private var maximumAge: Int64?
  private var sharedMaximumAge: Int64?

  /// How old the response may become, in seconds. 0 if that is malformed or given twice.
  var lifetime: Int64? { sharedMaximumAge ?? maximumAge }

  init(_ values: [String]) {
    for (name, argument) in values.flatMap({ Self.directives($0) }) {
      switch name {
      // Even if the directive names fields: they are not stored separately here.
      case "no-store", "private": forbidsStoring = true
      case "no-cache": demandsValidation = true
      case "max-age": maximumAge = maximumAge == nil ? Self.seconds(argument) ?? 0 : 0
      case "s-maxage": sharedMaximumAge = sharedMaximumAge == nil ? Self.seconds(argument) ?? 0 : 0
      default: continue
      }
    }
  }

  /// Parses delta-seconds (RFC 9111 section 1.2.2), at most 2^31. Nil if they are malformed.
  static func seconds(_ text: Substring) -> Int64? {
    let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
    let digits = isQuoted ? text.dropFirst().dropLast() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return min(Int64(digits) ?? .max, 1 << 31)
  }

  /// Splits at commas outside quotes.
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
  /// The text without spaces and tabs around it.
  var trimmed: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
