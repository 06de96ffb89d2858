/// What a URL has become. A class: see "Memory" in `Fetcher`.
package final class Fetched: Sendable {
  /// Of the last answer.
  package let head: ResponseHead
  /// The URL that the last answer came from.
  package let source: RemoteURL
  /// The redirects that led to it, and the last answer. The journal, which lasts longer, does not have them.
  package let answers: [Answer]

  init(head: ResponseHead, source: RemoteURL, answers: [Answer]) {
    self.head = head
    self.source = source
    self.answers = answers
  }

  /// What an answer says about reuse (RFC 9111).
  package struct Answer: Sendable {
    /// HTTP status code.
    package let status: Int
    /// Its header fields about that.
    package let reuse: ReuseFields
  }
}
