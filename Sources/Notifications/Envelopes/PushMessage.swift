/// What a queue delivers: a payload, or an envelope with one or more payloads in it.
package final class PushMessage: Sendable {
  /// The most payloads in one message. Expo accepts 100 in a request.
  package static let maximumPayloads = 100

  let document: JSONDocument
  /// The payloads in the order of the text, or of the named places. Empty if there is a problem with
  /// the message; one of several payloads may have a problem of its own.
  package let payloads: [Payload]
  /// The name of the envelope, or `wrapped`; nil for a payload without an envelope.
  package let envelope: String?
  /// Why there are no payloads.
  package let problem: EnvelopeError?
  /// How many bytes of each payload are reserved for something that is added later.
  package let reservedSize: Int

  package var bytes: [UInt8] { document.bytes }

  /// - Throws: `PayloadError` if `bytes` cannot be a message: they are not JSON, or neither an
  ///   object nor an array that contains messages.
  package init(
    _ bytes: [UInt8], _ choice: EnvelopeChoice = .automatic, reserving reservedSize: Int = 0
  ) throws(PayloadError) {
    self.reservedSize = reservedSize
    document = try Payload.document(bytes)
    let root = document.root
    // Most messages are a bare payload, and nothing else in them is looked at.
    if root["aps"] != nil, choice.allowsBarePayload {
      payloads = [Payload(at: JSONPath.Place(value: root))]
      (envelope, problem) = (nil, nil)
      return
    }
    do throws(EnvelopeError) {
      let found = try EnvelopeFinder.find(in: root, choice)
      (payloads, envelope, problem) = (found.payloads, found.envelope ?? "wrapped", nil)
    } catch {
      if case .nothing(_, let aps) = error, root.kind != .object, root.kind != .array || aps == nil {
        throw .notAnObject(root.kind)
      }
      (payloads, envelope, problem) = ([], nil, error)
    }
  }
}

/// Where to look for the payloads in a message.
package enum EnvelopeChoice: Equatable, Sendable {
  /// In the message itself and up to two levels below it, bare or in a known envelope.
  case automatic
  /// Only in the message itself: `--envelope none`.
  case none
  /// Only in this envelope: `--envelope NAME`.
  case named(String)
  /// Only at these places, each with a payload or a known envelope: `--payload-at`.
  case places([MediaKey])

  /// The names of the known envelopes.
  package static var names: [String] {
    Envelope.known.map(\.name).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  var allowsBarePayload: Bool {
    switch self {
    case .automatic, .none: true
    case .named, .places: false
    }
  }
}
