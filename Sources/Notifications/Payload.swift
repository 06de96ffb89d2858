/// A JSON object that goes to APNs: the message itself or an object in it. A step that changes a
/// payload returns `[JSONEdit]`. A `Rewriter` applies those of all steps and keeps all other bytes.
///
/// A class, because each step that waits holds a reference to it. The bytes and their index take
/// twice the size of a usual payload, and five times the size of the worst one (`[1,1,1…`).
package final class Payload: Sendable {
  /// The most bytes of input. APNs accepts 4096, but a payload can shrink when it is decrypted.
  package static let maximumLength = 65_536
  /// The deepest nesting of arrays and objects that devices accept (Foundation's JSONSerialization).
  package static let maximumDepth = 512

  /// The object whose members devices get as custom data. If the envelope has no such object: the
  /// object to create it in, or the envelope's message if it cannot be created.
  package let object: JSONValue
  /// The path from the document to `object`, or to the member to create in it, spelled as a
  /// `MediaKey`. Empty for the document itself.
  package let path: String
  /// The envelope's message around the payload; nil for a payload in the form that APNs accepts.
  let enclosure: Enclosure?
  /// Why there is no payload at a place that the user named, or in a message of the envelope. At least one other
  /// payload of the message has no problem.
  package let problem: EnvelopeError?
  /// The strings of JSON that contain the object, the outermost first.
  let strings: [JSONValue]
  /// The bytes that the size limit counts.
  let size: Int

  /// The message around a payload, and the envelope that it belongs to. A class, so that it takes one
  /// word in payloads without an envelope.
  final class Enclosure: Sendable {
    /// The index of the row, which takes more than 200 bytes. A message has up to 100 payloads.
    private let row: Int
    let message: JSONValue
    /// Spelled as a `MediaKey`.
    let path: String
    /// The name of the member to create in `object` for custom data; nil if none is needed.
    let missing: String?

    init(_ envelope: Envelope, around message: JSONPath.Place, missing: String?) {
      (row, self.message, self.path) = (envelope.index, message.value, message.path)
      self.missing = missing
    }

    var envelope: Envelope { Envelope.known[row] }

    /// Without `embedding`, so that edits apply to the text that directly contains the message.
    var place: JSONPath.Place { JSONPath.Place(value: message, path: path) }
  }

  /// Reads a whole message as a payload.
  package convenience init(_ bytes: [UInt8]) throws(PayloadError) {
    let document = try Self.document(bytes)
    guard document.root.kind == .object else { throw .notAnObject(document.root.kind) }
    self.init(at: JSONPath.Place(value: document.root))
  }

  /// Reads a whole message, within the limits of its length and depth.
  static func document(_ bytes: [UInt8]) throws(PayloadError) -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(bytes, maximumDepth: maximumDepth, maximumLength: maximumLength)
    } catch {
      throw .notJSON(error)
    }
  }

  /// A payload in the form that APNs accepts, or a place without one.
  init(at place: JSONPath.Place, problem: EnvelopeError? = nil) {
    (object, path, enclosure, self.problem) = (place.value, place.path, nil, problem)
    strings = place.embedding?.strings ?? []
    size = place.value.size
  }

  /// The payload in an envelope's message.
  /// - Throws: if the message, or a value on the path to the payload, is not an object.
  init(_ message: JSONPath.Place, in envelope: Envelope) throws(EnvelopeError) {
    guard message.value.kind == .object else { throw message.noObject }
    var place = message
    var missing: String?
    for (index, name) in envelope.payload.enumerated() {
      guard let next = place.value.given(name) else {
        // Only the last object on the path can be created.
        missing = index == envelope.payload.count - 1 && envelope.makesPayload ? name : nil
        if missing == nil { place = message }
        break
      }
      place = place.stepped(to: next, key: name)
      guard next.kind == .object else { throw .notAnObject(place: place.path, next.kind) }
    }
    (object, strings, problem) = (place.value, place.embedding?.strings ?? [], nil)
    path = place.path(to: missing.map { [$0] } ?? [])
    enclosure = Enclosure(envelope, around: message, missing: missing)
    size = envelope.countedValues(in: message.value).reduce(0) { $0 + $1.size }
  }

  /// Where the bytes are that the size limit counts.
  var countedRanges: [Range<Int>] {
    guard let enclosure else { return [object.range] }
    return enclosure.envelope.countedValues(in: enclosure.message).map(\.range)
  }

  var place: JSONPath.Place { JSONPath.Place(value: object, path: path) }
  /// The object whose members devices get as custom data; nil if it is yet to be made.
  var customData: JSONValue? { enclosure?.missing == nil ? object : nil }
  /// The objects to search for media in the known dialects.
  var searched: [JSONPath.Place] {
    guard let enclosure else { return [place] }
    let message = enclosure.place
    let data = enclosure.envelope.data.compactMap { way in
      message.value[way].map { JSONPath.Place(value: $0, path: message.path(to: way)) }
    }
    return (enclosure.missing == nil && !isMissing ? [place] : []) + data
  }

  /// Whether the envelope's message has no object for custom data, and none can be created.
  package var isMissing: Bool {
    guard let enclosure, enclosure.missing == nil, !enclosure.envelope.payload.isEmpty else { return false }
    return object.index == enclosure.message.index
  }

  /// The objects that are searched for media: the payload, and the envelope's objects with custom data.
  package var searchedObjects: [JSONValue] { searched.map(\.value) }

  /// The push type according to the envelope; nil if only the headers of the delivery can state it.
  package var pushType: PushType? {
    guard let enclosure else { return nil }
    let way = enclosure.envelope.pushType
    // Names of HTTP headers are case-insensitive.
    let other = enclosure.message[Array(way.dropLast())]?.members.first { $0.name.lowercased() == way.last }
    let text = (enclosure.message[way] ?? other?.value)?.string
    return text.flatMap { PushType(rawValue: $0.lowercased()) }
      ?? enclosure.envelope.pushTypes[String(enclosure.path.split(separator: ".").last ?? "")]
  }

  var message: JSONDocument { (strings.first ?? object).document }
  package var bytes: [UInt8] { message.bytes }
}

extension JSONValue {
  /// In bytes. If the value is the whole text, white space around it counts too.
  fileprivate var size: Int { index == 0 ? document.bytes.count : range.count }
}

package enum PayloadError: Error, Equatable, CustomStringConvertible {
  case notJSON(JSONError)
  case notAnObject(JSONValue.Kind)

  package var description: String {
    switch self {
    case .notJSON(let error): "not JSON: \(error)"
    case .notAnObject(.array): "a payload is a JSON object, and this is a list without payloads in it"
    case .notAnObject(let kind): "a payload is a JSON object, and this is \(kind.words)"
    }
  }
}
