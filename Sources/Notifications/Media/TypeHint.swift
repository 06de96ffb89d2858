internal import Supporting

/// What the sender says about the type of a medium. Only the bytes decide what it is.
package struct TypeHint: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    /// `image`, `photo`, `picture`, `audio`, `video` or `movie`.
    case family
    /// `image/jpeg`, with any parameters.
    case mimeType = "MIME type"
    /// `public.jpeg`
    case uniformTypeIdentifier = "uniform type identifier"
    /// `jpg` or `.jpg`
    case filenameExtension = "file name extension"
    case unknown
  }

  package let kind: Kind
  /// The hint as sent.
  package let text: String

  /// Tells the kind from the text, because providers use the same fields for all kinds.
  package init(_ text: String) {
    self.text = text
    kind = Self.kind(of: text.lowercased())
  }

  /// Nil if the hint is of another kind.
  var uniformTypeIdentifier: String? { kind == .uniformTypeIdentifier ? text : nil }

  private static func kind(of text: String) -> Kind {
    if ["image", "photo", "picture", "audio", "video", "movie"].contains(text) { return .family }
    if text.contains("/") { return .mimeType }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-.".utf8.contains($0) }
    guard isPlain, let first = labels.first, let last = labels.last, !last.isEmpty else { return .unknown }
    // These begin reverse domain names. A file name (`photo.jpg`) must not reach iOS as a type.
    if labels.count > 1, ["public", "com", "org", "net", "dyn"].contains(first) {
      return .uniformTypeIdentifier
    }
    let isExtension = labels.count == 1 || labels.count == 2 && first.isEmpty
    return isExtension && last.utf8.count <= 8 ? .filenameExtension : .unknown
  }
}
