internal import Queueing
internal import Supporting

/// Topics to which APNs takes no push with these credentials, for example because the key is for other
/// topics. One push a minute tries again. Pushes to other topics go on.
struct TopicHolds {
  /// If there are more topics, pushes to the others are tried each time.
  private static let maximum = 256

  private struct Hold {
    let detail: String
    var authorization: String?
    var end: MonotonicTime
  }

  private var holds: [String: Hold] = [:]

  mutating func add(_ topic: String, _ detail: String, _ authorization: String?, until end: MonotonicTime) {
    guard holds.count < Self.maximum || holds[topic] != nil else { return }
    holds[topic] = Hold(detail: detail, authorization: authorization, end: end)
  }

  mutating func remove(_ topic: String) { if !holds.isEmpty { holds[topic] = nil } }

  /// Why a push to the topic has to wait, and for how long. Nil if the push is to be sent. The next one is
  /// then tried after `pause`, or with another token.
  mutating func hold(
    on topic: String, _ authorization: String?, at now: MonotonicTime, pause: Duration
  ) -> (detail: String, rest: Duration)? {
    guard !holds.isEmpty, let hold = holds[topic] else { return nil }
    if now < hold.end, hold.authorization == authorization { return (hold.detail, hold.end - now) }
    add(topic, hold.detail, authorization, until: now + pause)
    return nil
  }
}

extension PushPool {
  /// Holds the topic of a push. If APNs has not taken any push with the key, the key may be the reason.
  func forbid(_ push: PushStream, _ detail: String, _ version: Int?, at now: MonotonicTime) {
    topics.add(push.request.topic, detail, push.authorization, until: now + times.credentials)
    let outcome = forbidden(detail, for: times.credentials, version)
    if case .credentials = outcome {
      hasFault = true
      tally.note { ($0.credentialsFault, $0.faultStart) = (detail, $0.faultStart ?? now) }
    }
    putOff(push, outcome)
  }

  func forbidden(_ detail: String, for rest: Duration, _ version: Int?) -> PushOutcome {
    let isOfTopic = acceptedKey != nil && acceptedKey == version
    return isOfTopic ? .result(.unavailable(detail, after: rest)) : .credentials(detail)
  }
}
