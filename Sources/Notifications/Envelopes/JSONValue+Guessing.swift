internal import Supporting

/// Cheap guesses about strings. A message can have thousands, and decoding or parsing each would cost more.
extension JSONValue {
  /// Whether the value is an object, an array, or a string that starts like JSON.
  var mayContainPayload: Bool { kind == .object || kind == .array || kind == .string && looksLikeJSON }

  /// Whether the value is a string that may be a JSON object in base64: `{"`, or `{` and white space.
  var looksLikeBase64: Bool {
    guard let text = spelledText, text.count >= 12 else { return false }
    return ["eyJ", "eyA", "ewo", "ew0", "eyI"].contains { text.starts(with: $0.utf8) }
      && text.prefix(64).allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+/-_=".utf8.contains($0) }
  }

  /// Whether the value is an array of several objects, or of several strings.
  var isListOfOneKind: Bool {
    guard let first = self[0]?.kind, self[1] != nil, first == .object || first == .string else {
      return false
    }
    return elements.allSatisfy { $0.kind == first }
  }

  /// Whether the value is a string that starts like an object, an array or another string.
  var looksLikeJSON: Bool {
    guard var rest = spelledText else { return false }
    var next: [UInt8] = []
    while next.allSatisfy(Self.spaceAndMark.contains), !rest.isEmpty {
      next.removeAll(keepingCapacity: true)
      JSONEscape.decodeNext(of: &rest, into: &next)
    }
    return next.first.map("{[\"".utf8.contains) ?? false
  }

  /// Whether the value is a string that is not JSON, but was meant to be a payload: it was cut off,
  /// or written with other quotes. It has a word that hardly anything else has.
  var looksLikeBrokenPayload: Bool {
    guard looksLikeJSON, let text = spelledText else { return false }
    var start = text.startIndex
    for index in text.indices where !text[index].isASCIILetter && text[index] != UInt8(ascii: "_") {
      if Self.words.contains(text[start..<index]) { return true }
      start = index + 1
    }
    return Self.words.contains(text[start...])
  }

  /// White space, and the byte order mark that some senders put before the text.
  private static let spaceAndMark: [UInt8] = [0x20, 0x0A, 0x0D, 0x09, 0xEF, 0xBB, 0xBF]
  private static let words = ["aps", "mutable_content", "mutableContent"].map { Array($0.utf8)[...] }
}
