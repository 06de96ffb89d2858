/// What a URL has become. A class: see "Memory" in `Fetcher`.
package final class Fetched: Sendable {
  package let head: ResponseHead
  package let source: RemoteURL
  /// The redirects that led to it, and the last answer.
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

/// Takes a body on the transfer loop's own thread: it must not wait for anything but a local disk.
package struct BodyConsumer: Sendable {
  package enum Decision: Sendable { case more, stop }

  /// The one Content-Encoding that it undoes itself; nil for none.
  package let contentCoding: String?
  /// Bytes of the largest body; nil for `FetchSettings.maximumBodyBytes`.
  package let maximumBytes: Int?
  /// Called before the first piece of each try: what came before belongs to a try that failed.
  package let begin: @Sendable (ResponseHead) -> Decision
  /// Called with each piece, of 16 KB at most. After `.stop` the transfer ends with `FetchError.stopped`.
  package let receive: @Sendable (Span<UInt8>) -> Decision
  /// Whether its bytes show that they are all there. Asked if nothing else does.
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
