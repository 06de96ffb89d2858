internal import Notifications

/// A payload that may be modified, and what it asks for. A class, because async frames hold it while media are
/// fetched.
final class OpenedPayload: MessagePart {
  let payload: Payload
  /// The largest size of the result, in bytes.
  let maximumSize: Int
  let content: UnsealedContent
  /// In the order of `content.media`. Payloads of a message share the media of equal URLs.
  let media: [MediaProgress]
  /// What its category adds. Nil if it adds nothing.
  let addition: CategoryAddition?
  /// The file with the actions of its category, if they do not fit into the payload.
  var actionsURL: String?

  var path: String { payload.path }

  init(
    _ payload: Payload, maximumSize: Int, content: UnsealedContent, media: [MediaProgress],
    _ addition: CategoryAddition?
  ) {
    (self.payload, self.maximumSize, self.content) = (payload, maximumSize, content)
    (self.media, self.addition) = (media, addition)
  }

  /// The attachments of the media that were stored.
  /// - Throws: if there are none, or all are required, the first failure in the order of the payload.
  func attachments(requiresAll: Bool) throws(Failure) -> [Attachment] {
    if media.isEmpty { return [] }
    let attachments = zip(media, content.media).compactMap { $0.attachment(for: $1.reference) }
    if attachments.isEmpty
      || requiresAll && attachments.count < content.media.count(where: { $0.reference.spareFor == nil })
    {
      throw media.compactMap(\.report.failure).first ?? Failure(.deadlineExceeded, "there was no time left")
    }
    return attachments
  }
}
