internal import Notifications

/// How a result names the stored files. The raw values are those of `--write`.
package enum WritingMode: String, CaseIterable, Sendable {
  /// In a separate member, which the app's extension has to know.
  case attachments
  /// In place of the original URLs, where the provider's SDK already looks.
  case inPlace = "in-place"
}

/// Writes the URLs of stored files into a payload.
struct ResultWriter: Sendable {
  /// Whether all attachments are listed, and whether URLs are replaced. Kept, because looking a mode up takes a
  /// hundred times as long.
  private let listsAll, replacesURLs: Bool
  private let key: String
  private let mediaKeys: [MediaKey]
  private let base: String?
  private let appliesTexts: Bool

  init(_ settings: EnrichmentSettings) {
    listsAll = settings.writing.contains(.attachments)
    replacesURLs = settings.writing.contains(.inPlace)
    (key, mediaKeys, base) = (settings.attachmentsKey, settings.mediaKeys, settings.baseURL)
    appliesTexts = settings.appliesTexts
  }

  /// Throws if `write` would throw no matter what the files are. Called before anything is fetched.
  func check(_ payload: Payload, with content: UnsealedContent, maximumSize: Int) throws(RewritingError) {
    let replaceable = replaceable(in: content)
    // No result is shorter than one with empty URLs.
    var edits = payload.replacing(replaceable.map { ($0.url, "") }, mediaKeys: mediaKeys, base: base).edits
    // Media whose URLs are not replaced have to be listed.
    if !content.media.isEmpty, listsAll || replaceable.count < content.media.count {
      let key = key(for: content, of: payload)
      try payload.check(isFree: key, after: content.edits)
      if listsAll { edits += payload.appending([(key, Array("[]".utf8))], after: content.edits) }
    }
    try payload.check(content.edits + edits, maximumSize: maximumSize)
  }

  /// - Throws: if the name of the member is taken.
  func write(
    _ attachments: [Attachment], into payload: Payload, with content: UnsealedContent
  ) throws(RewritingError) -> WrittenPayload {
    let replaceable = replaceable(in: content)
    let replacements = payload.replacing(
      replaceable.compactMap { reference in
        attachments.first { $0.identifier == reference.identifier }.map { (reference.url, $0.url) }
      }, mediaKeys: mediaKeys, base: base)
    let listed = attachments.filter { file in
      listsAll || !replaceable.contains { $0.identifier == file.identifier }
    }
    var edits = content.edits + replacements.edits
    let key = key(for: content, of: payload)
    edits +=
      listed.isEmpty
      ? payload.appending(content.members, after: content.edits)
      : try payload.attaching(listed, key: key, behind: content.members, after: content.edits)
    var applied: AppliedTexts?
    if !content.wasEncrypted {
      let attached = content.media.filter { medium in
        attachments.contains { $0.identifier == medium.reference.identifier }
      }
      if attached.contains(where: { $0.reference.spareFor != nil }) {
        edits += payload.applyingSpares(among: attached.map(\.reference))
      }
      if appliesTexts {
        let texts = payload.applyingTexts(of: attached.map(\.reference), after: content.edits)
        let substitute = texts.isEmpty ? substitute(in: payload, with: content, except: attached) : []
        edits += texts + substitute
        applied = !texts.isEmpty ? .media : !substitute.isEmpty ? .substitute : nil
      }
    }
    return WrittenPayload(
      edits: edits, replacements: replacements, media: content.media, listed: listed, path: payload.path,
      key: key, texts: applied)
  }

  /// Whether the payload has a text to show if its media cannot be attached.
  func hasSubstitute(_ payload: Payload, with content: UnsealedContent) -> Bool {
    appliesTexts && !content.wasEncrypted && !substitute(in: payload, with: content).isEmpty
  }

  private func substitute(
    in payload: Payload, with content: UnsealedContent, except attached: [MediaRequest] = []
  ) -> [JSONEdit] {
    payload.applyingSubstitute(
      for: content.media.filter { medium in !attached.contains { $0 === medium } }.map(\.reference))
  }

  /// The name of the list. If a provider keeps its media in a member with that name, the list gets another name:
  /// otherwise that provider's media could never be attached.
  private func key(for content: UnsealedContent, of payload: Payload) -> String {
    if content.wasEncrypted || payload.object[key] == nil { return key }
    return content.media.contains { $0.reference.isIn(member: key) } ? "\(key)-2" : key
  }

  /// The media whose URLs are replaced. Those in encrypted content are not. Nor are those of
  /// encrypted media, because the payload says beside the URL how they are encrypted.
  private func replaceable(in content: UnsealedContent) -> [MediaReference] {
    guard replacesURLs, !content.wasEncrypted else { return [] }
    return content.media.map(\.reference).filter { $0.coding == nil }
  }
}

/// The texts that `--apply-texts` has given the alert. The raw values are stable: reports contain them.
package enum AppliedTexts: String, Sendable {
  /// The texts that were sent with attached media.
  case media
  /// The text to show if no media can be attached.
  case substitute
}

/// A message with payloads that name stored files.
struct WrittenMessage: Sendable {
  let bytes: [UInt8]
  let payloads: [WrittenPayload]
}

/// How a payload names stored files.
struct WrittenPayload: Sendable {
  let edits: [JSONEdit]
  let replacements: URLReplacements
  let media: [MediaRequest]
  /// The media in the list.
  let listed: [Attachment]
  /// The place of the payload, spelled as a `MediaKey`, and the name of the list in it.
  let path, key: String
  let texts: AppliedTexts?

  /// Where the payload names the stored file, in the syntax of `MediaKey`.
  func paths(of request: MediaRequest) -> [String] {
    let list = (path.isEmpty ? "" : "\(path).") + MediaKey.escape(key)
    let references = media.map(\.reference).filter { $0.url.utf8.elementsEqual(request.reference.url.utf8) }
    return references.flatMap { reference in
      let entry = listed.firstIndex { $0.identifier == reference.identifier }
      return replacements.paths(of: reference.url) + [entry.map { "\(list).\($0)" }].compactMap(\.self)
    }
  }
}
