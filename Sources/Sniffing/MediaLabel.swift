/// What a body is claimed to be: a sender's hint, a server's Content-Type, the end of a URL. Labels never
/// decide, but one that disagrees with the bytes is worth telling, because iOS goes by labels alone.
package enum MediaLabel: Hashable, Sendable {
  /// With or without its dot: `jpg`, `.JPG`.
  case filenameExtension(String)
  /// `public.jpeg`; also a general one like `public.image`.
  case uniformTypeIdentifier(String)
  /// `image/jpeg`; parameters (`; charset=…`) are ignored.
  case mimeType(String)
  case family(MediaFamily)
}

extension MediaFormat {
  /// Whether `label` may stand for this format. A label that says nothing (`application/octet-stream`,
  /// `public.data`, an empty one) agrees with everything.
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

  /// What servers send when they do not know.
  private static let mimeTypesOfAnything: Set<String> = [
    "application/octet-stream", "binary/octet-stream", "application/x-download", "application/download",
    "application/force-download", "*/*",
  ]
}
