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

  /// Lets an app make room for the medium before it has the file. Nil if unknown.
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

  /// The attachment without its facts, which is 20 to 40 bytes shorter.
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
  /// The edits that list the attachments in a new member, right after the last one.
  /// - Parameters:
  ///   - members: other new members, before the list.
  ///   - edits: the edits of earlier steps. Members that they remove may have this `key`.
  /// - Throws: `RewritingError.keyTaken` or `.alreadyEnriched`.
  package func attaching(
    _ attachments: [Attachment], key: String, behind members: [JSONValue.Setting] = [],
    after edits: [JSONEdit] = []
  ) throws(RewritingError) -> [JSONEdit] {
    try check(isFree: key, after: edits)
    // An attachment is 250 to 330 bytes long.
    var list = JSONWriter(capacity: 64 + 350 * attachments.count)
    list.array { for attachment in attachments { $0.write(attachment) } }
    return appending(members + [(key, list.bytes)], after: edits)
  }

  /// - Throws: `RewritingError.keyTaken` or `.alreadyEnriched` if a member that `edits` do not remove has this name.
  package func check(isFree key: String, after edits: [JSONEdit]) throws(RewritingError) {
    guard let customData else { return }
    for member in customData.members where member.isNamed(key) {
      let start = member.key.range.lowerBound
      if edits.contains(where: { $0.range.contains(start) }) { continue }
      throw member.value.isListOfAttachments ? .alreadyEnriched(key) : .keyTaken(key)
    }
  }

  /// The edits that put new members after the last one. They create the object if it is missing.
  package func appending(_ members: [JSONValue.Setting], after edits: [JSONEdit] = []) -> [JSONEdit] {
    if members.isEmpty { return [] }
    var (end, isAfterValue) = (object.range.lowerBound + 1, false)
    if customData != nil {
      for member in object.members {
        end = member.value.range.upperBound
        let start = member.key.range.lowerBound
        isAfterValue = isAfterValue || !edits.contains { $0.range.contains(start) }
      }
    }
    // A member takes four bytes more than its name and value.
    let capacity = 8 + members.reduce(0) { $0 + $1.name.utf8.count + $1.json.count + 4 }
    var writer = JSONWriter(capacity: capacity, isAfterValue: isAfterValue)
    func write(_ writer: inout JSONWriter) {
      for member in members { writer.member(member.name, json: member.json) }
    }
    if let name = enclosure?.missing {
      writer.object(write)
      // Of members with the same name, the last one counts, and only that one is null.
      if let null = object[name] { return [JSONEdit(null.range, writer.bytes)] }
      return object.edits(setting: [(name, writer.bytes)])
    }
    write(&writer)
    return [JSONEdit(end..<end, writer.bytes)]
  }
}

extension JSONValue {
  /// Whether it looks like a list that this program has written.
  fileprivate var isListOfAttachments: Bool {
    guard let first = self[0] else { return false }
    return ["identifier", "url", "type", "sha256"].allSatisfy { first[$0]?.kind == .string }
  }
}
