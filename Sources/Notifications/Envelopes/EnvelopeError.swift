/// Why no payload was found in a message, or none that can be changed.
package enum EnvelopeError: Error, Equatable, CustomStringConvertible {
  /// It has no `aps` and is no known envelope.
  /// - Parameters:
  ///   - seen: names of its members, a few.
  ///   - aps: the place of an object with `aps`, deeper than anything is looked for.
  case nothing(seen: [String], aps: String?)
  /// None of the places that were named has an object.
  case nothingAt([String])
  case notEnvelope(String)
  /// Two envelopes, or payloads at two places.
  case ambiguous([String])
  /// - Parameter place: what should be a payload, spelled as a `MediaKey`.
  case notAnObject(place: String, JSONValue.Kind)
  case tooMany(Int)

  /// Whether the message may be anything, even no push.
  package var isNothing: Bool { if case .nothing = self { true } else { false } }

  package var description: String {
    switch self {
    case .nothing(let seen, _):
      "it has no aps, and is no envelope that is known; its members: \(Self.list(seen))"
    case .nothingAt(let places): "there is no payload at \(Self.list(places))"
    case .notEnvelope(let name): "it is not an envelope of the kind '\(name)'"
    case .ambiguous(let places):
      "it has payloads at several places or in several envelopes: \(Self.list(places))"
    case .notAnObject(let place, .string):
      "what is at \(place) is not a JSON object, nor the text of one"
    case .notAnObject(let place, let kind):
      "what is at \(place) is not a JSON object, but of kind \(kind.rawValue)"
    case .tooMany(let count):
      "it holds \(count) messages, more than the \(PushMessage.maximumPayloads) that are read"
    }
  }

  /// What to do about it.
  package var advice: String {
    switch self {
    case .nothing(_, let aps?): "name the place of the payload: --payload-at \(aps)"
    case .nothing(_, nil), .nothingAt:
      "put the payload under a known envelope, or name its place with --payload-at: data.push"
    case .notEnvelope: "check --envelope, or leave it out: known envelopes are recognized"
    case .ambiguous: "choose with --envelope, or name the place of the payload with --payload-at"
    case .notAnObject:
      "send the payload there as a JSON object, or as the text of one where the service takes text"
    case .tooMany: "send at most \(PushMessage.maximumPayloads) in one message"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map { "“\($0)”" }.joined(separator: ", ")
  }
}
