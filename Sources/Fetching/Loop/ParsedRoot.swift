internal import CCurl

/// What libcurl's parser has read of a `RemoteURL.root`, for all transfers to one origin (`CURLOPT_CURLU(3)`).
///
/// Of a text alone, libcurl would read it for each of them, and put it together again, letter by letter.
final class ParsedRoot {
  let text: String
  /// Not changed any more: libcurl copies it for each transfer, when that gets to its connection.
  let parts: URLParts

  /// - Throws: `FetchError.resourcesExhausted`.
  init(_ text: String) throws(FetchError) {
    self.text = text
    parts = try URLParts()
    try parts.set(CURLUPART_URL, text)
  }
}
