extension String {
  /// The name of a format as part of a sentence: "a WebP image", "an HTML page", "FLAC audio".
  package var withArticle: String {
    // What follows says more about the noun: "ID3 tag without audio", "unknown data; …".
    let words = prefix { $0 != ";" }.split(separator: " ")
    let noun = words.prefix {
      !["in", "of", "or", "that", "without", "behind"].contains($0) && !$0.hasPrefix("(")
    }
    .last
    guard let first = words.first, let noun else { return self }
    let isType = first.contains("/")
    let isMass = Self.massNouns.contains {
      noun.lowercased().hasPrefix($0) || noun.lowercased().hasSuffix($0)
    }
    return isType || isMass && noun != "audiobook" ? self : "\(Self.article(before: first)) \(self)"
  }

  /// Nouns in the names of formats that take no article.
  private static let massNouns = [
    "aac", "ac-3", "audio", "data", "markup", "media", "music", "subtitles", "text",
  ]

  private static func article(before word: Substring) -> String {
    let letters = Array(word)
    let isSpelled =
      letters.count > 1 && (letters.count == 2 || !letters[1].isLowercase) && !spoken.contains(String(word))
    return "aeio".contains(letters[0].lowercased())
      || isSpelled && "fhlmnrsx".contains(letters[0].lowercased())
      ? "an" : "a"
  }

  /// Abbreviations that are said as a word.
  private static let spoken: Set = ["FITS", "HEIC", "HEIF", "RAR", "RIFF", "RIFX"]
}
