extension RemoteURL {
  /// Describes what is changed in `text` before it is requested, or what looks like a mistake.
  package static func repairs(of text: String) -> String? {
    let trimmed = text.withoutBlanksAround
    var notes: [String] = []
    if trimmed != text { notes.append("the blanks around it are left out") }
    if let url = try? RemoteURL(trimmed), trimmed.percentEncodingTarget != trimmed {
      notes.append("percent-encoded, it is \(url.beginning)")
    }
    if trimmed.contains("&amp;") { notes.append(escapedAmpersand) }
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }

  package static let escapedAmpersand = "it has &amp; in it, which is HTML for &: send & itself"
}
