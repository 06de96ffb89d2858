/// The result of a fetch. A class: see `TaskPool`.
package final class Fetched: Sendable {
  package let head: ResponseHead
  package let source: RemoteURL
  /// Of all hops, the last one included.
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

/// Takes a body, on the transfer loop's thread: it must not wait for anything but a local disk.
package protocol BodyConsumer: AnyObject, Sendable {
  /// The one Content-Encoding that it decodes itself.
  var contentCoding: String? { get }
  /// Overrides `FetchSettings.maximumBodyBytes`.
  var maximumBytes: Int? { get }
  /// Called before the first piece of each try. Earlier pieces belong to a failed try.
  func begin(_ head: ResponseHead) -> BodyDecision
  /// Called with pieces of 16 KB at most. After `.stop` the fetch ends with `FetchError.stopped`.
  func receive(_ piece: Span<UInt8>) -> BodyDecision
  /// Whether the bytes themselves show that the body is whole. Asked if nothing else does.
  func showsEnd() -> Bool
}

package enum BodyDecision: Sendable { case more, stop }
