extension Payload {
  /// The payload with one member more, which stands at the end of the top object right behind the last value.
  /// Every other byte stays as it was.
  ///
  /// - Parameters:
  ///   - attachments: in the order in which they are written.
  ///   - key: the name of the member. Compared with those that are there without their escapes.
  ///   - maximumSize: of the result, in bytes, inclusive; see `PushType.maximumPayloadSize`.
  /// - Returns: the bytes to publish.
  /// - Throws: if the name is taken or the result does not fit.
  package func attaching(
    _ attachments: [Attachment], key: String, maximumSize: Int
  ) throws(AttachingError) -> [UInt8] {
    guard !hasMember(key) else { throw .keyTaken(key) }
    var end = root.range.lowerBound + 1
    var separator = ""
    for member in root.members {
      end = member.value.range.upperBound
      separator = ","
    }
    var writer = JSONWriter()
    writer.name(key)
    writer.array { for attachment in attachments { $0.write(attachment) } }

    let size = bytes.count + separator.utf8.count + writer.bytes.count
    guard size <= maximumSize else { throw .tooLarge(size: size, maximum: maximumSize) }
    var result: [UInt8] = []
    result.reserveCapacity(size)
    result += bytes[..<end]
    result += separator.utf8
    result += writer.bytes
    result += bytes[end...]
    return result
  }
}
