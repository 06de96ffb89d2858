/// A stored file, in the form that the app finds in the payload.
package struct Attachment: Equatable, Sendable, JSONWritable {
  package let identifier: String
  package let url: String
  /// The uniform type identifier of its bytes.
  package let type: String
  /// In bytes.
  package let size: Int
  /// In lower-case hexadecimal digits.
  package let sha256: String
  package let options: AttachmentOptions

  package init(
    identifier: String, url: String, type: String, size: Int, sha256: String, options: AttachmentOptions
  ) {
    (self.identifier, self.url, self.type) = (identifier, url, type)
    (self.size, self.sha256, self.options) = (size, sha256, options)
  }

  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier)
      $0.member("url", url)
      $0.member("type", type)
      $0.member("size", size)
      $0.member("sha256", sha256)
      $0.member("options", options.isEmpty ? nil : options)
    }
  }
}

extension Payload {
  /// The edit that lists the attachments in a new member, right after the last one.
  /// - Parameter edits: the edits of earlier steps. Members that they remove may have this `key`.
  /// - Throws: `RewritingError.keyTaken`.
  package func attaching(
    _ attachments: [Attachment], key: String, after edits: [JSONEdit] = []
  ) throws(RewritingError) -> [JSONEdit] {
    func list(_ writer: inout JSONWriter) {
      writer.name(key)
      writer.array { for attachment in attachments { $0.write(attachment) } }
    }
    // An attachment is 250 to 300 bytes long.
    let capacity = 64 + 320 * attachments.count
    if let name = enclosure?.missing {
      var writer = JSONWriter(capacity: capacity)
      writer.object(list)
      return object.edits(setting: [(name, writer.bytes)])
    }
    var end = object.range.lowerBound + 1
    var isAfterValue = false
    for member in object.members {
      end = member.value.range.upperBound
      let start = member.key.range.lowerBound
      if edits.contains(where: { $0.range.contains(start) }) { continue }
      guard !member.isNamed(key) else { throw .keyTaken(key) }
      isAfterValue = true
    }
    var writer = JSONWriter(capacity: capacity, isAfterValue: isAfterValue)
    list(&writer)
    return [JSONEdit(end..<end, writer.bytes)]
  }
}
