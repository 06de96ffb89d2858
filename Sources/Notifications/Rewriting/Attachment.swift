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
  private var facts: Facts

  /// What helps an app to make room for the medium before it has it. Nil if unknown.
  package struct Facts: Equatable, Sendable {
    /// In pixels.
    let width: Int?
    let height: Int?
    /// In seconds.
    let duration: Double?

    package init(width: Int? = nil, height: Int? = nil, duration: Double? = nil) {
      (self.width, self.height, self.duration) = (width, height, duration)
    }
  }

  package init(
    identifier: String, url: String, type: String, size: Int, sha256: String, options: AttachmentOptions,
    facts: Facts = Facts()
  ) {
    (self.identifier, self.url, self.type) = (identifier, url, type)
    (self.size, self.sha256, self.options, self.facts) = (size, sha256, options, facts)
  }

  /// The same, 20 to 40 bytes shorter.
  package var withoutFacts: Attachment {
    var attachment = self
    attachment.facts = Facts()
    return attachment
  }

  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier)
      $0.member("url", url)
      $0.member("type", type)
      $0.member("size", size)
      $0.member("sha256", sha256)
      $0.member("options", options.isEmpty ? nil : options)
      $0.member("width", facts.width)
      $0.member("height", facts.height)
      $0.member("duration", facts.duration)
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
    // An attachment is 250 to 330 bytes long.
    let capacity = 64 + 350 * attachments.count
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
