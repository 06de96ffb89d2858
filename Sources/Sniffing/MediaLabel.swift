/// A claim about a body: a sender's hint, a server's Content-Type, the end of a URL. Labels never
/// decide, but a label that disagrees with the bytes is reported, because iOS goes by labels alone.
package enum MediaLabel: Hashable, Sendable {
  /// With or without its dot: `jpg`, `.JPG`.
  case filenameExtension(String)
  /// `public.jpeg`, or a general one like `public.image`.
  case uniformTypeIdentifier(String)
  /// `image/jpeg`; parameters (`; charset=…`) are ignored.
  case mimeType(String)
  case family(MediaFamily)
}

extension MediaFormat {
  /// Whether `label` fits this format. A label that says nothing (`application/octet-stream`,
  /// `public.data`, an empty one) fits every format.
  package func agrees(with label: MediaLabel) -> Bool {
    switch label {
    case .family(let family): return family == self.family
    case .filenameExtension(let text):
      let word = text.lowercased().drop { $0 == "." }
      return word.isEmpty || filenameExtensions.contains(String(word))
    case .uniformTypeIdentifier(let text):
      let word = text.lowercased()
      return word.isEmpty || uniformTypeIdentifiers.contains(word)
    case .mimeType(let text):
      let word = text.lowercased().prefix { $0 != ";" }.filter { !$0.isWhitespace }
      return word.isEmpty || Self.mimeTypesOfAnything.contains(word) || word == "\(family)/*"
        || mimeTypes.contains(word)
    }
  }

  /// What servers send if they do not know the type.
  private static let mimeTypesOfAnything: Set<String> = [
    "application/octet-stream", "binary/octet-stream", "application/x-download", "application/download",
    "application/force-download", "*/*",
  ]
}
