internal import Notifications

/// A value of a document written anew without spaces, to be compared.
struct CompactJSON: JSONWritable {
  private let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  func write(to writer: inout JSONWriter) {
    switch value.kind {
    case .object: writer.object { for member in value.members { $0.member(member.name, Self(member.value)) } }
    case .array: writer.array { for element in value.elements { $0.write(Self(element)) } }
    case .string: writer.write(value.string ?? "")
    case .number, .boolean, .null: writer.raw(value.spelling.utf8)
    }
  }
}
