internal import Notifications

/// Writes the URLs of stored files into a payload.
struct ResultWriter: Sendable {
  let modes: Set<WritingMode>
  /// The name of the member that lists attachments.
  let key: String
  /// Further paths that hold media URLs, as in `EnrichmentSettings`.
  let mediaKeys: [MediaKey]

  /// Called before anything is fetched: if no result can be written, there is no need to.
  /// - Throws: as `write` would, whatever the files are.
  func check(_ opened: OpenedPayload, maximumSize: Int) throws(AttachingError) {
    let replaceable = replaceable(of: opened)
    // Media that are not replaced have to be listed.
    if replaceable.count < opened.media.count, opened.payload.hasMember(key) { throw .keyTaken(key) }
    // No result is shorter than one without URLs.
    let shortest = opened.payload.replacing(
      replaceable.map { ($0.reference.url, "") }, mediaKeys: mediaKeys)
    _ = try bytes(
      of: opened.payload, shortest, listing: opened.media.isEmpty || !listsAll ? nil : [],
      maximumSize: maximumSize)
  }

  /// - Parameters:
  ///   - attachments: those of the media that worked, in the order of the payload.
  ///   - maximumSize: of the result, in bytes.
  /// - Throws: if the name of the member is taken, or the result does not fit.
  func write(
    _ attachments: [Attachment], into opened: OpenedPayload, maximumSize: Int
  ) throws(AttachingError) -> WrittenPayload {
    let replaced = replaceable(of: opened).map(\.reference).compactMap { reference in
      attachments.first { $0.identifier == reference.identifier }.map { (reference: reference, url: $0.url) }
    }
    let replacements = opened.payload.replacing(
      replaced.map { ($0.reference.url, $0.url) }, mediaKeys: mediaKeys)
    let listed =
      listsAll
      ? attachments
      : attachments.filter { attachment in
        !replaced.contains { $0.reference.identifier == attachment.identifier }
      }
    let bytes = try bytes(
      of: opened.payload, replacements, listing: listed.isEmpty ? nil : listed, maximumSize: maximumSize)
    return WrittenPayload(
      bytes: bytes, replaced: replaced.map(\.reference), replacements: replacements, listed: listed, key: key)
  }

  private var listsAll: Bool { modes.contains(.attachments) }

  /// The media whose URLs are replaced by those of the stored files. Not media of encrypted content, whose
  /// URLs are not in the clear; nor encrypted media, beside whose URLs the payload says how, which would be
  /// wrong of the stored file.
  private func replaceable(of opened: OpenedPayload) -> [MediaRequest] {
    guard modes.contains(.inPlace), !opened.wasEncrypted else { return [] }
    return opened.media.filter { $0.reference.coding == nil }
  }

  /// - Parameter attachments: nil for no list.
  private func bytes(
    of payload: Payload, _ replacements: URLReplacements, listing attachments: [Attachment]?, maximumSize: Int
  ) throws(AttachingError) -> [UInt8] {
    guard let attachments else { return try payload.applying(replacements, maximumSize: maximumSize) }
    return try payload.attaching(attachments, key: key, besides: replacements, maximumSize: maximumSize)
  }
}
