internal import Supporting

/// A category of the file, in the form that goes into payloads.
struct Category: Sendable {
  struct Action: Sendable {
    let identifier: String
    let json: [UInt8]
  }

  let name: String
  let actions: [Action]
  /// All members other than `actions`, as a JSON object; nil if there are none.
  let properties: [UInt8]?
  /// The content for a payload that has no actions of its own.
  let whole: Content

  /// - Parameter value: must have been checked.
  init(_ name: String, _ value: JSONValue) {
    let list = value.kind == .array ? value : value["actions"]
    let actions = list.map { list in
      list.elements.map { Action(identifier: $0["identifier"]?.string ?? "", json: $0.compact) }
    }
    let members = value.members.filter { !$0.isNamed("actions") }
    var writer = JSONWriter()
    writer.object { for member in members { $0.member(member.name, json: member.value.compact) } }
    self.name = name
    self.actions = actions ?? []
    properties = members.isEmpty ? nil : writer.bytes
    whole = Content(name, self.actions.json, properties)
  }

  /// What a device registers.
  struct Content: Sendable {
    /// The name with a suffix that depends on the content. Devices replace categories that have the same
    /// identifier, so without a suffix, a push could show the buttons of another push.
    let identifier: String
    /// As a list.
    let actions: [UInt8]
    /// As an object, with all other members of the category.
    let file: [UInt8]

    init(_ name: String, _ actions: [UInt8], _ properties: [UInt8]?) {
      let rest = properties.map { [UInt8(ascii: ",")] + $0.dropFirst() } ?? [UInt8(ascii: "}")]
      let file = Array(#"{"actions":"#.utf8) + actions + rest
      // Folded to 32 bits (draft-eastlake-fnv section 3).
      let hash = FNV1a.hash(file.span)
      let folded = UInt32(truncatingIfNeeded: hash ^ hash >> 32)
      let digits = String(folded, radix: 16)
      (self.actions, self.file) = (actions, file)
      identifier = "\(name)-\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)"
    }
  }
}

extension [Category.Action] {
  /// As a list.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.array { for action in self { $0.raw(action.json) } }
    return writer.bytes
  }
}

extension JSONValue {
  /// Without white space and needless escapes.
  fileprivate var compact: [UInt8] {
    var writer = JSONWriter()
    writeCompact(to: &writer)
    return writer.bytes
  }

  // Recursive: a file of categories has at most 8 levels.
  private func writeCompact(to writer: inout JSONWriter) {
    switch kind {
    case .object:
      writer.object {
        for member in members {
          $0.name(member.name)
          member.value.writeCompact(to: &$0)
        }
      }
    case .array: writer.array { for element in elements { element.writeCompact(to: &$0) } }
    case .string: writer.string(self)
    case .number, .boolean, .null: writer.raw(document.bytes[range])
    }
  }
}
