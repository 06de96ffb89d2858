extension Payload {
  /// The payload with one more member, at the end of the top object right behind the last value. All other
  /// bytes are kept, except for URLs that are replaced.
  ///
  /// - Parameters:
  ///   - attachments: in the order in which they are written.
  ///   - key: the name of the member. Compared with those that are there without their escapes.
  ///   - replacements: of this payload.
  ///   - maximumSize: of the result, in bytes, inclusive; see `PushType.maximumPayloadSize`.
  /// - Returns: the bytes to publish.
  /// - Throws: if the name is taken or the result does not fit.
  package func attaching(
    _ attachments: [Attachment], key: String, besides replacements: URLReplacements = .none, maximumSize: Int
  ) throws(AttachingError) -> [UInt8] {
    guard !hasMember(key) else { throw .keyTaken(key) }
    var end = root.range.lowerBound + 1
    let members = root.members
    for member in members { end = member.value.range.upperBound }
    // An attachment takes 250 to 300 bytes.
    var writer = JSONWriter(capacity: 64 + 320 * attachments.count, isAfterValue: !members.isEmpty)
    writer.name(key)
    writer.array { for attachment in attachments { $0.write(attachment) } }
    var edits = replacements.edits
    edits.append(JSONEdit(end..<end, writer.bytes))
    return try applying(edits, maximumSize: maximumSize)
  }

  /// The payload with URLs replaced. All other bytes are kept.
  /// - Parameters: see `attaching`.
  /// - Throws: if the result does not fit.
  package func applying(
    _ replacements: URLReplacements, maximumSize: Int
  ) throws(AttachingError) -> [UInt8] {
    try applying(replacements.edits, maximumSize: maximumSize)
  }

  private func applying(_ edits: [JSONEdit], maximumSize: Int) throws(AttachingError) -> [UInt8] {
    let size = document.length(after: edits)
    guard size <= maximumSize else { throw .tooLarge(size: size, maximum: maximumSize) }
    return document.applying(edits)
  }
}
