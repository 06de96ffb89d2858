/// What a queue delivers: a payload, or an envelope with one or more payloads in it.
package final class PushMessage: Sendable {
  /// Messages in one envelope. Expo takes 100.
  package static let maximumPayloads = 100

  let document: JSONDocument
  /// In the order of the text. Empty if there is a problem.
  package let payloads: [Payload]
  /// The name of the envelope, or `wrapped`; nil for a payload without one.
  package let envelope: String?
  /// Why there are no payloads.
  package let problem: EnvelopeError?

  package var bytes: [UInt8] { document.bytes }

  /// - Throws: `PayloadError` if `bytes` are no message of any kind: no JSON, or neither an object nor an
  ///   array with messages in it.
  package init(_ bytes: [UInt8], _ choice: EnvelopeChoice = .automatic) throws(PayloadError) {
    document = try Result { () throws(JSONError) in
      try JSONDocument(bytes, maximumDepth: Payload.maximumDepth, maximumLength: Payload.maximumLength)
    }.mapError(PayloadError.notJSON).get()
    let root = document.root
    // Most messages. Nothing else is looked at.
    if root["aps"] != nil, choice.allowsBarePayload {
      payloads = [Payload(at: JSONPath.Place(value: root, path: ""))]
      (envelope, problem) = (nil, nil)
      return
    }
    do throws(EnvelopeError) {
      let found = try EnvelopeFinder.find(in: root, choice)
      (payloads, envelope, problem) = (found.payloads, found.name, nil)
    } catch {
      guard root.kind == .object || !error.isNothing else { throw .notAnObject(root.kind) }
      (payloads, envelope, problem) = ([], nil, error)
    }
  }
}

/// Where to look for payloads.
package enum EnvelopeChoice: Equatable, Sendable {
  /// In the message itself, in the known envelopes, and one or two levels deep.
  case automatic
  /// In the message itself: `--envelope none`.
  case none
  /// In this envelope: `--envelope NAME`.
  case named(String)
  /// At these places: `--payload-at`. Each holds a payload or a known envelope.
  case places([MediaKey])

  /// The names of the known envelopes.
  package static var names: [String] { Envelope.known.map(\.name) }

  var allowsBarePayload: Bool {
    switch self {
    case .automatic, .none: true
    case .named, .places: false
    }
  }
}
