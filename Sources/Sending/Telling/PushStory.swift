internal import Queueing
internal import Supporting

/// What happened to one push, step by step, for a person who wants to know why it does not arrive.
package struct PushStory: Sendable {
  /// The name of each step is one word. The text says what was done or seen.
  package private(set) var steps: [(name: String, text: String)] = []
  /// The status that APNs answered. Nil if no answer came.
  package private(set) var status: Int?
  package private(set) var reason: String?
  package private(set) var apnsID: String?
  /// The start of its device token, which is never shown whole.
  package private(set) var device = ""
  package private(set) var elapsed = Duration.zero
  /// What happened, to which push, and what to do. Nil if APNs has accepted the push.
  package private(set) var failure: String?
  private let start = MonotonicTime.now

  mutating func tell(_ name: String, _ text: String, since start: MonotonicTime? = nil) {
    let time = start.map { ", \((MonotonicTime.now - $0).tenths) ms" } ?? ""
    steps.append((name, text + time))
  }

  mutating func tell(_ request: PushRequest) {
    device = "\(request.device.prefix(8))…"
    apnsID = request.id
    let headers = request.headers.map { "\($0.name) \($0.value)" }
    tell("push", (["device \(device)"] + headers + ["\(request.body.count) bytes"]).joined(separator: ", "))
  }

  mutating func tell(_ answer: PushAnswer, since start: MonotonicTime) {
    (status, reason) = (answer.status, answer.reason)
    // APNs answers with the id of the request.
    let words = ["\(answer.status)\(answer.reason.map { " \($0)" } ?? "")", apnsID.map { "apns-id \($0)" }]
    tell("answer", words.compactMap(\.self).joined(separator: ", "), since: start)
  }

  mutating func end(_ failure: String? = nil) {
    self.failure = failure
    elapsed = MonotonicTime.now - start
  }
}

extension Duration {
  /// In milliseconds, with one decimal.
  fileprivate var tenths: String { "\(microseconds / 1_000).\(microseconds % 1_000 / 100)" }
}
