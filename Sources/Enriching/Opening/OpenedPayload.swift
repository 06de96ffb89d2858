internal import Decrypting
internal import Notifications

/// A payload that can be read: as it came, or with the plaintext instead of the ciphertext.
struct OpenedPayload {
  let payload: Payload
  /// At most one more than `Enricher.maximumMedia`, however many the payload names.
  let media: [MediaRequest]
  /// Whether there was anything to decrypt.
  let wasEncrypted: Bool

  /// Opens what is encrypted in `payload`.
  ///
  /// If there is any ciphertext, only the media in it are requested: others could have been added by anyone.
  /// - Throws: `Failure` with `decrypt-failed` or `key-unknown`, which does not say why.
  init(_ payload: Payload, with ring: KeyRing, mediaKeys: [MediaKey]) throws(Failure) {
    for shape in EncryptedShape.all {
      let content = try rethrowing(as: Failure.init) { () throws(DecryptingError) in
        try shape.read(payload.root)
      }
      guard let content else { continue }
      self = try Self.opening(content, of: shape, in: payload, with: ring)
      return
    }
    self.payload = payload
    media = payload.mediaReferences(mediaKeys: mediaKeys, atMost: Enricher.maximumMedia + 1)
      .map { MediaRequest($0, ring) }
    wasEncrypted = false
  }

  private init(payload: Payload, media: [MediaRequest]) {
    self.payload = payload
    self.media = media
    wasEncrypted = true
  }

  private static func opening(
    _ content: EncryptedContent, of shape: EncryptedShape, in payload: Payload, with ring: KeyRing
  ) throws(Failure) -> OpenedPayload {
    var plaintext = try rethrowing(as: Failure.init) { () throws(DecryptingError) in
      try content.open(with: ring)
    }
    // It may contain keys of media. No copy of it outlives `read`, so that it is wiped in place.
    defer { plaintext.wipe() }
    return try read(plaintext, of: shape, in: payload, with: ring)
  }

  private static func read(
    _ plaintext: [UInt8], of shape: EncryptedShape, in payload: Payload, with ring: KeyRing
  ) throws(Failure) -> OpenedPayload {
    guard let document = try? JSONDocument(plaintext), let content = PlainContent(document) else {
      throw Failure(DecryptingError.failed)
    }
    let disclosed: Payload
    do throws(PayloadError) {
      disclosed = try payload.disclosing(content, insteadOf: shape.members)
    } catch {
      throw Failure(.payloadTooLarge, "with what was encrypted in it, it would be longer than any payload")
    }
    let media = content.media(orIn: shape.picture, atMost: Enricher.maximumMedia + 1)
    return OpenedPayload(payload: disclosed, media: media.map { MediaRequest($0, ring) })
  }
}
