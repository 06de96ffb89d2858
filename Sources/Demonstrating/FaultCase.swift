internal import Misbehaving
internal import Queueing

/// A payload that names the media of an attacker, and the expected result.
struct FaultCase {
  let attack: Attack
  let sent: DemoPayload

  /// - Parameter deadline: of an attack that nothing else ends.
  init(_ site: AttackSite, deadline: String) {
    attack = site.attack
    let text = #"{"aps":{"alert":"Look!","mutable-content":1},"media":{"url":"\#(site.url)"}}"#
    sent = DemoPayload(
      name: attack.name, arguments: attack.isEndless ? ["--deadline", deadline] : [], bytes: Array(text.utf8))
  }

  /// How the published message differs from what is expected, in words; nil if it does not.
  func difference(from result: Message) -> String? {
    guard result.header(ResultHeader.outcome) == "unmodified",
      let reason = result.header(ResultHeader.reason), attack.reasons.contains(reason)
    else { return "it should be unmodified \(attack.reasons.sorted().joined(separator: " or "))" }
    return result.body == sent.bytes ? nil : "the payload was changed"
  }
}
