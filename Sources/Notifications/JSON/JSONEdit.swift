/// One change of a JSON text: other bytes in the place of some. All around them stays as it was.
struct JSONEdit: Equatable {
  let range: Range<Int>
  let replacement: [UInt8]

  init(_ range: Range<Int>, _ replacement: [UInt8] = []) {
    self.range = range
    self.replacement = replacement
  }
}

extension JSONDocument {
  /// The text with all `edits`, in the order of the text, none of which touches another.
  func applying(_ edits: [JSONEdit]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(length(after: edits))
    var start = 0
    for edit in edits {
      result += bytes[start..<edit.range.lowerBound]
      result += edit.replacement
      start = edit.range.upperBound
    }
    result += bytes[start...]
    return result
  }

  /// How many bytes the text has with all `edits`.
  func length(after edits: [JSONEdit]) -> Int {
    edits.reduce(bytes.count) { $0 - $1.range.count + $1.replacement.count }
  }
}

extension JSONValue {
  /// What to change in an object so that it has these members, and has not those.
  /// - Parameters:
  ///   - settings: names and JSON. What has such a name gets the new value, as often as it is there; others
  ///     go to the end.
  ///   - removed: names; those of `settings` are not among them.
  func edits(setting settings: [(name: String, json: [UInt8])], removing removed: Set<String> = [])
    -> [JSONEdit]
  {
    let members = Array(members)
    var edits: [JSONEdit] = []
    var missing = settings
    var end = range.lowerBound + 1
    var keepsAny = false
    for (index, member) in members.enumerated() {
      let whole = member.key.range.lowerBound..<member.value.range.upperBound
      if removed.contains(member.name) {
        // With the comma before it; the first ones with the comma behind.
        let next = index + 1 < members.count ? members[index + 1].key.range.lowerBound : whole.upperBound
        edits.append(JSONEdit(keepsAny ? end..<whole.upperBound : whole.lowerBound..<next))
      } else {
        keepsAny = true
        if let setting = settings.first(where: { member.isNamed($0.name) }) {
          edits.append(JSONEdit(member.value.range, setting.json))
          missing.removeAll { $0.name == setting.name }
        }
      }
      end = whole.upperBound
    }
    guard !missing.isEmpty else { return edits }
    var writer = JSONWriter(isAfterValue: keepsAny)
    for setting in missing {
      writer.name(setting.name)
      writer.raw(setting.json)
    }
    return edits + [JSONEdit(end..<end, writer.bytes)]
  }
}
