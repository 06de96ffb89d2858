/// Why iOS would not hand a payload to a notification service extension.
package enum Ineligibility: Equatable, Sendable {
  /// Its push type is `background`, whose content is never modified.
  case background
  /// `mutable-content` is not set.
  case notMutable
  /// Nothing to show: sound and badge do not count.
  case noAlert
}

extension Payload {
  /// The rules of iOS, as observed: `aps.mutable-content` is `true` or the number 1 in any spelling, but not
  /// the string "1"; the alert is a text, or has a title, subtitle or body, or the key of a localised one;
  /// the push type, where known, is not `background`.
  ///
  /// - Returns: the first of the reasons that applies; nil if the payload is eligible.
  package func ineligibility(pushType: PushType?) -> Ineligibility? {
    let aps = root["aps"]
    let flag = aps?["mutable-content"]
    if pushType == .background { return .background }
    guard flag?.bool == true || flag?.number == 1 else { return .notMutable }
    return showsAlert ? nil : .noAlert
  }

  /// Whether the alert has a text, or the key of one: where it has none, iOS shows nothing.
  var showsAlert: Bool {
    guard let alert = root["aps"]?["alert"] else { return false }
    return Self.isText(alert) || Self.alertTexts.contains { alert[$0].map(Self.isText) == true }
  }

  private static func isText(_ value: JSONValue) -> Bool { value.spelledText?.isEmpty == false }

  private static let alertTexts = [
    "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key",
  ]
}
