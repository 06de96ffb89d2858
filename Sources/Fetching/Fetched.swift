/// The result of a fetch. A class: see "Memory" in `Fetcher`.
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
package struct BodyConsumer: Sendable {
  package enum Decision: Sendable { case more, stop }

  /// The one Content-Encoding that it decodes itself.
  package let contentCoding: String?
  /// Overrides `FetchSettings.maximumBodyBytes`.
  package let maximumBytes: Int?
  /// Called before the first piece of each try. Earlier pieces belong to a failed try.
  package let begin: @Sendable (ResponseHead) -> Decision
  /// Called with pieces of 16 KB at most. After `.stop` the fetch ends with `FetchError.stopped`.
  package let receive: @Sendable (Span<UInt8>) -> Decision
  /// Whether the bytes themselves show that the body is whole. Asked if nothing else does.
  package let showsEnd: @Sendable () -> Bool

  package init(
    contentCoding: String? = nil, maximumBytes: Int? = nil,
    begin: @escaping @Sendable (ResponseHead) -> Decision,
    receive: @escaping @Sendable (Span<UInt8>) -> Decision, showsEnd: @escaping @Sendable () -> Bool
  ) {
    self.contentCoding = contentCoding
    self.maximumBytes = maximumBytes
    self.begin = begin
    self.receive = receive
    self.showsEnd = showsEnd
  }
}
