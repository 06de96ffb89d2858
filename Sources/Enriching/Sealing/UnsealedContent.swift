internal import Decrypting
internal import Notifications

/// The media that a payload asks for in the clear or in encrypted content, and the edits that put
/// that content into the payload.
struct UnsealedContent {
  /// At most one more than `Enricher.maximumMedia`.
  let media: [MediaRequest]
  /// They replace the ciphertext in the payload with the plaintext.
  private(set) var edits: [JSONEdit]
  /// What the category adds to the payload.
  private(set) var members: [JSONValue.Setting] = []
  let wasEncrypted: Bool
  /// The category in the plaintext, which `edits` put into `aps`.
  let category: String?

  /// Opens the encrypted content of `payload`. If there is any, only the media in it count, because
  /// anyone can add others.
  /// - Throws: `decrypt-failed` or `key-unknown`, which do not say why something is not authentic,
  ///   or `payload-too-large`.
  init(of payload: Payload, with ring: KeyRing, mediaKeys: [MediaKey], base: String? = nil) throws(Failure) {
    for shape in ContentShape.allCases where payload.takesContent {
      guard
        var opened = try rethrowing(
          as: Failure.init, { () throws(DecryptingError) in try shape.open(payload.object, with: ring) })
      else { continue }
      // It may contain keys of media. No copy outlives `read`, so this wipes the bytes in place.
      defer { opened.plaintext.wipe() }
      (media, edits, category) = try Self.read(opened, of: shape, in: payload, with: ring)
      wasEncrypted = true
      return
    }
    media = payload.mediaReferences(
      mediaKeys: mediaKeys, base: base, atMost: Enricher.maximumMedia + 1
    )
    .map { MediaRequest($0, ring) }
    edits = []
    category = nil
    wasEncrypted = false
  }

  /// This content, with what the category adds.
  /// - Parameter url: the URL of a file with the actions, or nil to put the actions themselves into the payload.
  func adding(_ addition: CategoryAddition, linking url: String? = nil) -> UnsealedContent {
    var content = self
    content.edits = addition.edits(after: edits, linking: url)
    content.members = addition.members(linking: url)
    return content
  }

  private static func read(
    _ opened: ContentShape.Opened, of shape: ContentShape, in payload: Payload, with ring: KeyRing
  ) throws(Failure) -> ([MediaRequest], [JSONEdit], category: String?) {
    guard let document = try? JSONDocument(opened.plaintext),
      let content = PlainContent(document, opened.style)
    else {
      throw Failure(DecryptingError.failed)
    }
    guard let edits = try? payload.disclosing(content, insteadOf: shape.members) else {
      throw Failure(.payloadTooLarge, "with its decrypted content, it would exceed the size limit")
    }
    let media = content.media(orIn: shape.picture, atMost: Enricher.maximumMedia + 1)
    return (media.map { MediaRequest($0, ring) }, edits, content.category)
  }
}
