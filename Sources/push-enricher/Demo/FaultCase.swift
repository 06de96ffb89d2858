internal import Misbehaving
internal import Queueing

/// A payload that names the media of an attacker, and what should come of it.
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

  /// What is other than it should be in the message that was published, in words; nil when all is well.
  func difference(from result: Message) -> String? {
    guard result.header(ResultHeader.outcome) == "unmodified",
      let reason = result.header(ResultHeader.reason), attack.reasons.contains(reason)
    else { return "it should be unmodified \(attack.reasons.sorted().joined(separator: " or "))" }
    return result.body == sent.bytes ? nil : "the payload was changed"
  }
}
