/// Why iOS would not hand a payload to a notification service extension.
package enum Ineligibility: Equatable, Sendable {
  /// Its push type is `background`. iOS never lets an extension modify such a push.
  case background
  /// `mutable-content` is not set.
  case notMutable
  /// There is nothing to show. Sound and badge do not count.
  case noAlert
}

extension Payload {
  /// The first reason that applies, by the rules observed on iOS; nil if the payload is eligible.
  /// In an eligible payload, `aps.mutable-content` is `true` or the number 1 in any spelling, but
  /// not the string "1". The alert is a text, or has a title, subtitle or body, or the key of one.
  /// The push type, if known, is not `background`.
  package func ineligibility(pushType: PushType?) -> Ineligibility? {
    if pushType == .background { return .background }
    guard isMutable else { return .notMutable }
    return showsAlert() ? nil : .noAlert
  }

  /// The path of the flag that lets extensions modify the payload, spelled as a `MediaKey`.
  package var flagPath: String {
    (enclosure?.place ?? place).path(to: flags.first ?? [])
  }

  private var flags: [[String]] { enclosure?.envelope.flags ?? Envelope.apsFlags }

  private var isMutable: Bool {
    let message = enclosure?.message ?? object
    if let way = enclosure?.envelope.impliesFlag, let sign = message[way], sign.kind != .null { return true }
    return flags.isEmpty
      || flags.contains { way in
        let flag = message[way]
        return flag?.bool == true || flag?.number == 1
      }
  }

  /// Whether the envelope has a text for the alert, in one or more languages.
  private var hasEnvelopeAlert: Bool {
    guard let enclosure else { return false }
    return enclosure.envelope.alert.contains { way in
      guard let value = enclosure.message[way] else { return false }
      return value.utf8?.isEmpty == false || value.members.contains { $0.value.utf8?.isEmpty == false }
    }
  }

  /// Whether the alert has a text or the key of one. If not, iOS shows nothing.
  func showsAlert(with content: PlainContent? = nil) -> Bool {
    if hasEnvelopeAlert { return true }
    let alert = object["aps"]?["alert"]
    let (fields, displaced) = (content?.alert ?? [], content?.displaced ?? [])
    return Self.alertTexts.contains { name in
      if let field = fields.first(where: { $0.name == name }) { return field.json.count > 2 }
      if displaced.contains(name) { return false }
      // If the alert is a string, that is the body.
      let old = name == "body" && alert?.kind == .string ? alert : alert?[name]
      return old?.spelledText?.isEmpty == false
    }
  }

  fileprivate static let alertTexts = [
    "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key",
  ]
}

extension JSONValue {
  /// Whether an alert has a text or the key of one. If not, iOS shows nothing, and calls no extension.
  package var isShownAlert: Bool {
    if kind == .string { return spelledText?.isEmpty == false }
    return Payload.alertTexts.contains { self[$0]?.spelledText?.isEmpty == false }
  }
}
