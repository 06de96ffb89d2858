/// A JSON object that goes to APNs: a message, and the place of the object in it. Most often that is the top.
///
/// Eligibility, media, encrypted content and all changes are relative to that place. A step that changes a
/// payload gives `[JSONEdit]`; a `Rewriter` applies those of all steps, and keeps every other byte.
///
/// A class, because each step that waits holds it. It holds its bytes and an index of them: twice its bytes in
/// all for a payload as providers send it, at worst (`[1,1,1…`) five times.
package final class Payload: Sendable {
  /// Bytes of input, generous beside the 4096 that APNs takes: encrypted content may be replaced before it
  /// goes out.
  package static let maximumLength = 65_536
  /// Nested arrays and objects: what devices accept (Foundation's JSONSerialization).
  package static let maximumDepth = 512

  /// The bytes that a size limit counts.
  package enum Extent: Sendable {
    /// All of the text that the object is in: the message, or a string, without its escapes.
    case text
    /// From the brace to the brace.
    case object
  }

  /// The object itself.
  package let object: JSONValue
  /// The strings of JSON that the object is behind, the outermost first.
  let strings: [JSONValue]
  let extent: Extent

  /// A payload that is the top object of a message.
  /// - Throws: what keeps the bytes from being a payload, and where.
  package convenience init(_ bytes: [UInt8]) throws(PayloadError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(
        bytes, maximumDepth: Self.maximumDepth, maximumLength: Self.maximumLength)
    } catch {
      throw .notJSON(error)
    }
    guard document.root.kind == .object else { throw .notAnObject(document.root.kind) }
    self.init(document.root, behind: [], counting: .text)
  }

  init(_ object: JSONValue, behind strings: [JSONValue], counting extent: Extent) {
    self.object = object
    self.strings = strings
    self.extent = extent
  }

  /// The objects that `path` leads to from here, each a payload of the same message.
  /// - Parameter extent: what a size limit counts of each.
  func payloads(at path: JSONPath, counting extent: Extent) -> [Payload] {
    var found: [Payload] = []
    path.visit(from: JSONPath.Place(value: object, path: "")) { place in
      guard place.value.kind == .object else { return }
      let strings = strings + (place.embedding?.strings ?? [])
      found.append(Payload(place.value, behind: strings, counting: extent))
    }
    return found
  }

  /// The same at a place that a user names: strings of JSON on the way are looked into.
  package func payloads(at key: MediaKey, counting extent: Extent) -> [Payload] {
    payloads(at: JSONPath(key), counting: extent)
  }

  var message: JSONDocument { (strings.first ?? object).document }

  /// The message, byte for byte.
  package var bytes: [UInt8] { message.bytes }
}

/// Why bytes are not a valid payload.
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
