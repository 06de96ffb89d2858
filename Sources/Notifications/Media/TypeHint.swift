internal import Supporting

/// What a sender says of the type of a medium. The bytes decide.
package struct TypeHint: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    /// `image`, `photo`, `picture`, `audio`, `video` or `movie`.
    case family
    /// `image/jpeg`, parameters included.
    case mimeType = "MIME type"
    /// `public.jpeg`
    case uniformTypeIdentifier = "uniform type identifier"
    /// `jpg` or `.jpg`
    case filenameExtension = "file name extension"
    case unknown
  }

  package let kind: Kind
  /// As sent.
  package let text: String

  /// The text tells the kind: providers put all into the same fields.
  package init(_ text: String) {
    self.text = text
    kind = Self.kind(of: text.lowercased())
  }

  /// Nil for a hint of another kind.
  var uniformTypeIdentifier: String? { kind == .uniformTypeIdentifier ? text : nil }

  private static func kind(of text: String) -> Kind {
    if ["image", "photo", "picture", "audio", "video", "movie"].contains(text) { return .family }
    if text.contains("/") { return .mimeType }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-.".utf8.contains($0) }
    guard isPlain, let first = labels.first, let last = labels.last, !last.isEmpty else { return .unknown }
    // Reverse domains. A file name, `photo.jpg`, must not reach iOS as a type.
    if labels.count > 1, ["public", "com", "org", "net", "dyn"].contains(first) {
      return .uniformTypeIdentifier
    }
    let isExtension = labels.count == 1 || labels.count == 2 && first.isEmpty
    return isExtension && last.utf8.count <= 8 ? .filenameExtension : .unknown
  }
}
