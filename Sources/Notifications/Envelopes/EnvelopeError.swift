internal import Supporting

/// Why a message, or a place in it, has no payload that can be enriched. Indirect, so that it takes only one
/// word in each payload.
package indirect enum EnvelopeError: Error, Equatable, CustomStringConvertible {
  /// The message has no `aps` and is not a known envelope.
  /// - Parameters:
  ///   - seen: the names of a few of its members.
  ///   - aps: the path of an object with `aps` that is too deep to be found automatically.
  case nothing(seen: [String], aps: String?)
  /// The message has no `aps`, and `--envelope none` says that it is a payload.
  /// - Parameter seen: the names of a few of its members.
  case notBare(seen: [String])
  /// The message has no `aps`. It is a known service's message for a platform other than Apple's.
  /// - Parameter place: the path of the first such message; empty for the message itself.
  case otherPlatform(String, place: String)
  /// The message has no `aps`. It is written for an API that no longer exists.
  /// - Parameter place: the path of the message.
  case legacyFCM(place: String)
  /// The message has no `aps`. It has a text that may be a payload in base64.
  /// - Parameter place: the path of the first such text.
  case base64(place: String)
  /// None of the named places has a value.
  case nothingAt([String])
  case notEnvelope(String)
  /// The message fits several envelopes, or has payloads at several places. Names the first four.
  case ambiguous([Candidate])
  /// - Parameter place: the path of the value that should be an object, spelled as a `MediaKey`.
  case notAnObject(place: String, JSONValue.Kind)
  /// The text at a place that may have JSON in strings is not JSON. The position counts in the decoded text.
  case notJSON(place: String, JSONError)
  /// The text at such a place is JSON in more strings than are opened.
  case tooManyStrings(place: String)
  case tooMany

  /// Whether no payload or envelope was found. The message may not be a push at all.
  package var isNothing: Bool {
    switch self {
    case .nothing, .notBare, .otherPlatform, .legacyFCM, .base64: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .nothing(let seen, _):
      "it has no aps and is not a known envelope\(seen.isEmpty ? "" : "; its members: \(Self.list(seen))")"
    case .notBare(let seen): "it has no aps; its members: \(Self.list(seen))"
    case .otherPlatform(let service, let place):
      "it has no aps: the message of \(service)\(place.isEmpty ? "" : " at \(place)") is for a platform other than Apple's"
    case .legacyFCM(let place):
      "it has no aps: the message\(place.isEmpty ? "" : " at \(place)") has the form of FCM's legacy API, which Google shut down in 2024"
    case .base64(let place): "it has no aps: the text at \(place) looks like JSON in base64"
    case .nothingAt(let places): "there is no payload at \(Self.list(places))"
    case .notEnvelope(let name): "it is not an envelope of the kind '\(name)'"
    case .ambiguous(let candidates):
      "it has payloads at several places or in several envelopes: \(Self.list(candidates))"
    case .notAnObject(let place, let kind):
      "the value at \(place) is not a JSON object, but \(kind.words)"
    case .notJSON(let place, let error): "the text at \(place) is not JSON: \(error)"
    case .tooManyStrings(let place): "the text at \(place) is JSON encoded as a string more than twice"
    case .tooMany: "it has more than \(PushMessage.maximumPayloads) messages, which is the limit"
    }
  }

  /// What the sender or the operator can do about it.
  package var advice: String {
    switch self {
    case .nothing(_, let aps?): "name the place of the payload: --payload-at \(aps.shellQuoted)"
    case .notBare: "leave out --envelope none: known envelopes are recognized"
    case .base64: "decode it first: JSON is only found as plain text, or in strings"
    case .otherPlatform: "leave it as it is: only messages for APNs can be enriched"
    case .legacyFCM:
      "write it for FCM's HTTP v1 API: {\"message\":{\"token\":…,\"notification\":{…},\"apns\":{\"payload\":{\"aps\":{\"mutable-content\":1}}}}}"
    case .nothing(_, nil), .nothingAt:
      "put the payload in a known envelope, or name its place, such as --payload-at data.push"
    case .notEnvelope: "check --envelope, or leave it out: known envelopes are recognized"
    case .ambiguous(let candidates):
      Self.options(naming: candidates).map { "if all of them are meant, name their places: \($0)" }
        ?? "choose with --envelope, or name the place of the payload with --payload-at"
    case .notAnObject(_, .string): "send the JSON object itself there, not as a string"
    case .notAnObject: "send a JSON object there"
    case .notJSON: "send a JSON object there, or the whole text of one with its quotes escaped once"
    case .tooManyStrings: "encode the payload once: strings are opened twice at most"
    case .tooMany: "send at most \(PushMessage.maximumPayloads) in one message"
    }
  }

  /// The options that name different places: one with `*` if they are elements of a list. Nil if one place fits
  /// several envelopes, or if there may be more places.
  private static func options(naming candidates: [Candidate]) -> String? {
    let places = candidates.map(\.path)
    let keys = places.compactMap { try? MediaKey($0) }
    guard let steps = keys.first?.steps, keys.count == places.count, Set(places).count == places.count else {
      return nil
    }
    let isList = keys.allSatisfy { $0.steps.count == steps.count }
    let differing = steps.indices.filter { index in
      isList && keys.contains { $0.steps[index] != steps[index] }
    }
    if let index = differing.first, differing.count == 1, keys.allSatisfy({ Int($0.steps[index]) != nil }) {
      let path = steps.indices.map { $0 == index ? "*" : MediaKey.escape(steps[$0]) }
      return "--payload-at \(path.joined(separator: ".").shellQuoted)"
    }
    return places.count < 4 ? places.map { "--payload-at \($0.shellQuoted)" }.joined(separator: " ") : nil
  }

  private static func list(_ names: [some CustomStringConvertible]) -> String {
    names.isEmpty ? "none" : names.map { "“\($0)”" }.joined(separator: ", ")
  }
}

extension EnvelopeError {
  /// A payload or an envelope that the message could mean.
  package struct Candidate: Equatable, Sendable, CustomStringConvertible {
    /// The name of the envelope; nil if the value is itself a payload.
    let envelope: String?
    /// Its path; empty for the message itself.
    let path: String

    package init(envelope: String?, path: String) { (self.envelope, self.path) = (envelope, path) }

    package var description: String {
      guard let envelope else { return path }
      return path.isEmpty ? envelope : "\(envelope) at \(path)"
    }
  }
}
