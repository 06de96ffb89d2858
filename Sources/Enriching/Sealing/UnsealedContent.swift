internal import Decrypting
internal import Notifications

/// The media that a payload asks for, in the clear or in encrypted content, and how to write that content.
struct UnsealedContent {
  /// At most one more than `Enricher.maximumMedia`.
  let media: [MediaRequest]
  /// Put the plaintext into the payload instead of the ciphertext.
  let edits: [JSONEdit]
  let wasEncrypted: Bool

  /// Opens what is encrypted in `payload`. Then only the media in it count: anyone could add others.
  /// - Throws: `Failure` with `decrypt-failed` or `key-unknown`, which does not say why.
  init(of payload: Payload, with ring: KeyRing, mediaKeys: [MediaKey]) throws(Failure) {
    for shape in ContentShape.allCases {
      guard
        var plaintext = try rethrowing(
          as: Failure.init, { () throws(DecryptingError) in try shape.open(payload.object, with: ring) })
      else { continue }
      // It may contain keys of media. No copy outlives `read`, so that it is wiped in place.
      defer { plaintext.wipe() }
      (media, edits) = try Self.read(plaintext, of: shape, in: payload, with: ring)
      wasEncrypted = true
      return
    }
    media = payload.mediaReferences(mediaKeys: mediaKeys, atMost: Enricher.maximumMedia + 1)
      .map { MediaRequest($0, ring) }
    edits = []
    wasEncrypted = false
  }

  private static func read(
    _ plaintext: [UInt8], of shape: ContentShape, in payload: Payload, with ring: KeyRing
  ) throws(Failure) -> ([MediaRequest], [JSONEdit]) {
    guard let document = try? JSONDocument(plaintext), let content = PlainContent(document) else {
      throw Failure(DecryptingError.failed)
    }
    guard let edits = try? payload.disclosing(content, insteadOf: shape.members) else {
      throw Failure(.payloadTooLarge, "with what was encrypted in it, it would be longer than any payload")
    }
    let media = content.media(orIn: shape.picture, atMost: Enricher.maximumMedia + 1)
    return (media.map { MediaRequest($0, ring) }, edits)
  }
}
