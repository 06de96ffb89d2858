/// Why iOS would not hand a payload to a notification service extension.
package enum Ineligibility: Equatable, Sendable {
  /// Its push type is `background`, whose content is never modified.
  case background
  /// `mutable-content` is not set.
  case notMutable
  /// Nothing to show. Sound and badge do not count.
  case noAlert
}

extension Payload {
  /// The first reason that applies, by the rules of iOS, as observed; nil if the payload is eligible.
  /// `aps.mutable-content` is `true` or the number 1 in any spelling, but not the string "1"; the alert is a
  /// text, or has a title, subtitle or body, or the key of one; the push type, if known, is not `background`.
  package func ineligibility(pushType: PushType?) -> Ineligibility? {
    let flag = object["aps"]?["mutable-content"]
    if pushType == .background { return .background }
    guard flag?.bool == true || flag?.number == 1 else { return .notMutable }
    return showsAlert() ? nil : .noAlert
  }

  /// Whether the alert has a text, or the key of one. Otherwise iOS shows nothing.
  func showsAlert(with content: PlainContent? = nil) -> Bool {
    let alert = object["aps"]?["alert"]
    let (fields, displaced) = (content?.alert ?? [], content?.displaced ?? [])
    return Self.alertTexts.contains { name in
      if let field = fields.first(where: { $0.name == name }) { return field.json.count > 2 }
      if displaced.contains(name) { return false }
      // An alert that is only a text is its body.
      let old = name == "body" && alert?.kind == .string ? alert : alert?[name]
      return old?.spelledText?.isEmpty == false
    }
  }

  private static let alertTexts = [
    "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key",
  ]
}
