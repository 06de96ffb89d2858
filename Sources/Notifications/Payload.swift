/// A JSON object that goes to APNs: the message, or an object in it. A step that changes a payload gives
/// `[JSONEdit]`; a `Rewriter` applies those of all steps, and keeps every other byte.
///
/// A class, because each step that waits holds it. Its bytes and their index take twice the size of usual
/// payloads, and five times that of the worst (`[1,1,1…`).
package final class Payload: Sendable {
  /// Bytes of input. APNs takes 4096, but encrypted content may be replaced before.
  package static let maximumLength = 65_536
  /// Nested arrays and objects that devices accept (Foundation's JSONSerialization).
  package static let maximumDepth = 512

  /// The bytes that a size limit counts.
  package enum Extent: Sendable {
    /// The text that the object is in: the message, or a string, without its escapes.
    case text
    /// From the brace to the brace.
    case object
  }

  package let object: JSONValue
  /// The strings of JSON around the object, the outermost first.
  let strings: [JSONValue]
  let extent: Extent

  /// The top object of a message.
  package convenience init(_ bytes: [UInt8]) throws(PayloadError) {
    let document = try Result { () throws(JSONError) in
      try JSONDocument(bytes, maximumDepth: Self.maximumDepth, maximumLength: Self.maximumLength)
    }.mapError(PayloadError.notJSON).get()
    guard document.root.kind == .object else { throw .notAnObject(document.root.kind) }
    self.init(document.root, behind: [], counting: .text)
  }

  init(_ object: JSONValue, behind strings: [JSONValue], counting extent: Extent) {
    (self.object, self.strings, self.extent) = (object, strings, extent)
  }

  /// The objects at `key`, each a payload of the same message.
  package func payloads(at key: MediaKey, counting extent: Extent) -> [Payload] {
    var found: [Payload] = []
    JSONPath(key).visit(from: JSONPath.Place(value: object, path: "")) { place in
      guard place.value.kind == .object else { return }
      found.append(Payload(place.value, behind: strings + (place.embedding?.strings ?? []), counting: extent))
    }
    return found
  }

  var message: JSONDocument { (strings.first ?? object).document }
  package var bytes: [UInt8] { message.bytes }
}

package enum PayloadError: Error, Equatable, CustomStringConvertible {
  case notJSON(JSONError)
  case notAnObject(JSONValue.Kind)

  package var description: String {
    switch self {
    case .notJSON(let error): "not JSON: \(error)"
    case .notAnObject(let kind): "a payload is a JSON object, and this is of kind \(kind.rawValue)"
    }
  }
}
