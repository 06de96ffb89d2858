/// One change of a JSON text: other bytes in the place of some. All around them stays as it was.
package struct JSONEdit: Equatable, Sendable {
  let range: Range<Int>
  let replacement: [UInt8]

  init(_ range: Range<Int>, _ replacement: [UInt8] = []) {
    self.range = range
    self.replacement = replacement
  }
}

extension JSONValue {
  typealias Setting = (name: String, json: [UInt8])

  /// What to change in an object so that it has these members, and has not those.
  /// - Parameters:
  ///   - settings: names and JSON. Every member of such a name gets the new value; new names go to the end.
  ///   - names: none of those in `settings`.
  func edits(setting settings: [Setting], removing names: [String] = []) -> [JSONEdit] {
    var edits: [JSONEdit] = []
    var missing = settings
    var end = range.lowerBound + 1
    var keepsAny = false
    var rest = members
    while let member = rest.next() {
      let whole = member.key.range.lowerBound..<member.value.range.upperBound
      if names.contains(where: { member.isNamed($0) }) {
        // With the comma before it; the first ones with the comma behind.
        let next = rest.first { _ in true }?.key.range.lowerBound ?? whole.upperBound
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
    for setting in missing { writer.member(setting.name, json: setting.json) }
    return edits + [JSONEdit(end..<end, writer.bytes)]
  }
}
