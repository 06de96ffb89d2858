internal import Notifications
internal import Sniffing

extension MediaLabel {
  /// Returns nil for a hint of an unknown kind, such as the name of a file.
  init?(_ hint: TypeHint) {
    switch hint.kind {
    case .family:
      let families: [String: MediaFamily] = [
        "audio": .audio, "image": .image, "photo": .image, "picture": .image,
      ]
      self = .family(families[hint.text.lowercased()] ?? .video)
    case .mimeType: self = .mimeType(hint.text)
    case .uniformTypeIdentifier: self = .uniformTypeIdentifier(hint.text)
    case .filenameExtension: self = .filenameExtension(hint.text)
    case .unknown: return nil
    }
  }
}
