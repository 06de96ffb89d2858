/// Why a message, or a place in it, has no payload that can be enriched. Takes one word in each payload.
package indirect enum EnvelopeError: Error, Equatable, CustomStringConvertible {
  /// The message has no `aps` and is not a known envelope.
  /// - Parameters:
  ///   - seen: the names of a few of its members.
  ///   - aps: the path of an object with `aps` that is too deep to be found automatically.
  case nothing(seen: [String], aps: String?)
  /// None of the named places has a value.
  case nothingAt([String])
  case notEnvelope(String)
  /// The message fits several envelopes, or has payloads at several places.
  case ambiguous([String])
  /// - Parameter place: the path of the value that should be an object, spelled as a `MediaKey`.
  case notAnObject(place: String, JSONValue.Kind)
  case tooMany(Int)

  /// Whether no payload or envelope was found. The message may not be a push at all.
  package var isNothing: Bool { if case .nothing = self { true } else { false } }

  package var description: String {
    switch self {
    case .nothing(let seen, _):
      "it has no aps and is not a known envelope; its members: \(Self.list(seen))"
    case .nothingAt(let places): "there is no payload at \(Self.list(places))"
    case .notEnvelope(let name): "it is not an envelope of the kind '\(name)'"
    case .ambiguous(let places):
      "it has payloads at several places or in several envelopes: \(Self.list(places))"
    case .notAnObject(let place, .string):
      "the value at \(place) is neither a JSON object nor the text of one"
    case .notAnObject(let place, let kind):
      "the value at \(place) is not a JSON object, but of kind \(kind.rawValue)"
    case .tooMany(let count):
      "it holds \(count) messages, more than the \(PushMessage.maximumPayloads) that are read"
    }
  }

  /// What the sender or the operator can do about it.
  package var advice: String {
    switch self {
    case .nothing(_, let aps?): "name the place of the payload: --payload-at \(aps)"
    case .nothing(_, nil), .nothingAt:
      "put the payload in a known envelope, or name its place, such as --payload-at data.push"
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
