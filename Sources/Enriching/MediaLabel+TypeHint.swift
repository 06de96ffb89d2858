internal import Notifications
internal import Sniffing

extension MediaLabel {
  /// A sender's hint as a label; nil for a hint of an unknown kind, such as the name of a file.
  init?(_ hint: TypeHint) {
    switch hint.kind {
    case .family: self = .family(Self.family(hint.text.lowercased()))
    case .mimeType: self = .mimeType(hint.text)
    case .uniformTypeIdentifier: self = .uniformTypeIdentifier(hint.text)
    case .filenameExtension: self = .filenameExtension(hint.text)
    case .unknown: return nil
    }
  }

  private static func family(_ word: String) -> MediaFamily {
    switch word {
    case "audio": .audio
    case "image", "photo", "picture": .image
    default: .video
    }
  }
}
