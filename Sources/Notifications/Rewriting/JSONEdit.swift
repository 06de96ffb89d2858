/// A replacement for a part of a JSON text.
package struct JSONEdit: Equatable, Sendable {
  let range: Range<Int>
  let replacement: [UInt8]

  init(_ range: Range<Int>, _ replacement: [UInt8] = []) {
    (self.range, self.replacement) = (range, replacement)
  }

  /// The number of bytes by which the text grows; negative if it shrinks.
  var growth: Int { replacement.count - range.count }
}

extension JSONValue {
  package typealias Setting = (name: String, json: [UInt8])

  /// The edits that set some members of an object and remove others.
  /// - Parameter settings: every member with such a name gets the value. New names go to the end.
  package func edits(setting settings: [Setting], removing names: [String] = []) -> [JSONEdit] {
    var edits: [JSONEdit] = []
    var missing = settings
    var end = range.lowerBound + 1
    var keepsAny = false
    var rest = members
    while let member = rest.next() {
      let whole = member.key.range.lowerBound..<member.value.range.upperBound
      if names.contains(where: { member.isNamed($0) }) {
        // Removes the comma before the member, or the one after it if no member before it is kept.
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
