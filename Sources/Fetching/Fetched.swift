/// The result of a fetch. A class to save memory (`TaskPool`).
package final class Fetched: Sendable {
  package let head: ResponseHead
  package let source: RemoteURL
  /// The redirects in order, and then the final response.
  package let answers: [Answer]

  init(head: ResponseHead, source: RemoteURL, answers: [Answer]) {
    self.head = head
    self.source = source
    self.answers = answers
  }

  package struct Answer: Sendable {
    package let status: Int
    package let reuse: ReuseFields
  }
}

/// Receives a body on the transfer loop's thread, so it must only ever wait for a local disk.
package protocol BodyConsumer: AnyObject, Sendable {
  /// The only Content-Encoding that the consumer decodes itself.
  var contentCoding: String? { get }
  /// Overrides `FetchSettings.maximumBodyBytes`, except in what errors say.
  var maximumBytes: Int? { get }
  /// Called before the first piece of each attempt. Any earlier pieces belong to a failed attempt.
  func begin(_ head: ResponseHead) -> BodyDecision
  /// Called with pieces of at most 16 KB. `.stop` ends the fetch with `FetchError.stopped`.
  func receive(_ piece: Span<UInt8>) -> BodyDecision
  /// Whether the bytes themselves show that the body is complete. Called if nothing else shows it.
  func showsEnd() -> Bool
}

package enum BodyDecision: Sendable { case more, stop }
