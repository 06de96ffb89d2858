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

  /// The object whose members devices get as custom data. If the envelope's place for it is missing, the
  /// envelope's message.
  package let object: JSONValue
  /// The way from the document to `object`, spelled as a `MediaKey`; empty for the document itself.
  package let path: String
  /// The envelope's message around the payload; nil for a payload as APNs takes it.
  let enclosure: Enclosure?
  /// The strings of JSON around the object, the outermost first.
  let strings: [JSONValue]
  /// The bytes that the size limit counts.
  let size: Int

  /// A message of an envelope.
  struct Enclosure: Sendable {
    let envelope: Envelope
    let message: JSONValue
    /// Spelled as a `MediaKey`.
    let path: String
    /// The name of the member to make for custom data, in `object`; nil if it is there.
    let missing: String?

    /// Has no text around it: changes are those of the text that the message is in.
    var place: JSONPath.Place { JSONPath.Place(value: message, path: path) }
  }

  /// The top object of a message.
  package convenience init(_ bytes: [UInt8]) throws(PayloadError) {
    let document = try Result { () throws(JSONError) in
      try JSONDocument(bytes, maximumDepth: Self.maximumDepth, maximumLength: Self.maximumLength)
    }.mapError(PayloadError.notJSON).get()
    guard document.root.kind == .object else { throw .notAnObject(document.root.kind) }
    self.init(at: JSONPath.Place(value: document.root, path: ""))
  }

  /// A payload as APNs takes it.
  init(at place: JSONPath.Place) {
    (object, path, enclosure) = (place.value, place.path, nil)
    strings = place.embedding?.strings ?? []
    // Of a text, its end may be white space.
    size = place.value.index == 0 ? place.value.document.bytes.count : place.value.range.count
  }

  /// The payload of an envelope's message.
  /// - Throws: `EnvelopeError.notAnObject` if something else is in its place.
  init(_ message: JSONPath.Place, in envelope: Envelope) throws(EnvelopeError) {
    guard message.value.kind == .object else {
      throw .notAnObject(place: message.path, message.value.kind)
    }
    var place = message
    var missing: String?
    for (index, name) in envelope.payload.enumerated() {
      if let next = place.value.given(name) {
        place = place.stepped(to: next, key: name)
        guard next.kind == .object else { throw .notAnObject(place: place.path, next.kind) }
      } else {
        // Only the last step can be made.
        missing = index == envelope.payload.count - 1 && envelope.makesPayload ? name : nil
        if missing == nil { place = message }
        break
      }
    }
    (object, strings) = (place.value, place.embedding?.strings ?? [])
    path = missing.map { place.path.isEmpty ? $0 : "\(place.path).\($0)" } ?? place.path
    enclosure = Enclosure(
      envelope: envelope, message: message.value, path: message.path, missing: missing)
    size =
      envelope.counted.isEmpty
      ? message.value.document.bytes.count
      : envelope.counted.reduce(0) { $0 + (message.value[$1]?.range.count ?? 0) }
  }

  var place: JSONPath.Place { JSONPath.Place(value: object, path: path) }
  /// Objects in which the dialects are searched.
  var searched: [JSONPath.Place] {
    guard let enclosure else { return [place] }
    let message = enclosure.place
    let data = enclosure.envelope.data.compactMap { way in
      message.value[way].map { JSONPath.Place(value: $0, path: message.path(to: way)) }
    }
    let isThere = enclosure.missing == nil && object.index != enclosure.message.index
    return (isThere || enclosure.envelope.payload.isEmpty ? [place] : []) + data
  }

  /// The type of push that its envelope says; nil if that is left to the headers of the message.
  package var pushType: PushType? {
    guard let enclosure else { return nil }
    let text = enclosure.envelope.headers.flatMap { enclosure.message[$0]?["apns-push-type"]?.string }
    return text.flatMap { PushType(rawValue: $0.lowercased()) }
      ?? enclosure.envelope.pushTypes[enclosure.path]
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
