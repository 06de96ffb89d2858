internal import Misbehaving
internal import Queueing
internal import Supporting

/// A payload that names an attacker's medium, and the expected result.
struct FaultCase: DemoRow {
  static let widths = (name: 35, time: 9)
  static let heading = text("attack", "outcome", "time", columns("reason", "what stops it"))

  let attack: Attack
  let sent: DemoPayload

  /// - Parameter deadline: the deadline of an attack that nothing else ends.
  init(_ site: AttackSite, deadline: String) {
    attack = site.attack
    let text = #"{"aps":{"alert":"Look!","mutable-content":1},"media":{"url":"\#(site.url)"}}"#
    sent = DemoPayload(
      name: attack.name, arguments: attack.isEndless ? ["--deadline", deadline] : [], bytes: Array(text.utf8))
  }

  func difference(from result: Message) -> String? {
    guard result.header(ResultHeader.outcome) == "unmodified",
      let reason = result.header(ResultHeader.reason), attack.reasons.contains(reason)
    else { return "it should be unmodified \(attack.reasons.sorted().joined(separator: " or "))" }
    return result.body == sent.bytes ? nil : "the payload was changed"
  }

  func story(of result: Message?) -> String {
    Self.columns(result?.header(ResultHeader.reason) ?? "", attack.defence)
  }

  private static func columns(_ reason: String, _ defence: String) -> String {
    reason.padded(to: 22) + defence
  }
}
