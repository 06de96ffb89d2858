/// What libcurl's parser has read of a `URLRoot`, for all transfers that have it (`CURLOPT_CURLU(3)`).
///
/// Of a text alone, libcurl would read it for each of them, and put it together again, letter by letter.
final class ParsedRoot {
  let text: String
  /// Not changed any more: libcurl copies it with each attempt, when that gets to its connection.
  let parts: URLParts

  /// - Parameter text: `URLRoot.text`, which libcurl has read once, and so reads again.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(_ text: String) throws(FetchError) {
    self.text = text
    parts = try URLParts.read(text)
  }
}
