/// What a URL has become.
package struct Fetched: Sendable {
  /// Of the last answer.
  package let head: ResponseHead
  /// The URL that the last answer came from.
  package let source: RemoteURL
  /// The redirects that led to it, and the last answer. They are not in the journal, which lasts longer.
  package let answers: [Answer]

  /// What an answer says about reuse (RFC 9111).
  package struct Answer: Sendable {
    /// HTTP status code.
    package let status: Int
    /// Values by the names of their fields, in lower case.
    package let reuseFields: [String: [String]]
  }
}
