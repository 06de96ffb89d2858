internal import Synchronization

/// Reads URLs, most of them without libcurl's parser, which takes a twentieth of a small medium's time: mostly a
/// URL has the scheme and the authority of one before it.
package final class URLReader: Sendable {
  private let roots = Mutex(LastFew<URLRoot>())

  /// Reads `text` as `RemoteURL.init` does.
  /// - Throws: as that.
  package func read(_ text: String) throws(FetchError) -> RemoteURL {
    if let (root, target) = known(text) { return RemoteURL(root: root, target: target) }
    let url = try RemoteURL(text)
    // libcurl may read what it has decoded or mapped as something else.
    guard text.utf8Span.span.isPath(behind: url.root.text.utf8Span.span) else { return url }
    roots.withLock { roots in
      if roots.recall({ $0.text == url.root.text }) == nil { roots.append(url.root) }
    }
    return url
  }

  /// - Returns: nil if libcurl's parser has to read `text`.
  private func known(_ text: String) -> (URLRoot, target: String)? {
    guard text.utf8.count <= RemoteURL.maximumLength else { return nil }
    let bytes = text.utf8Span.span
    let root = roots.withLock { $0.recall { bytes.isPath(behind: $0.text.utf8Span.span) } }
    guard let root, bytes.extracting(root.text.utf8.count...).isPlainTarget else { return nil }
    return (root, String(text[text.utf8.index(text.startIndex, offsetBy: root.text.utf8.count)...]))
  }
}

extension Span<UInt8> {
  /// Whether `root` comes first, and then a slash: all before the first one is the authority's.
  fileprivate func isPath(behind root: Span<UInt8>) -> Bool {
    guard count > root.count, self[root.count] == UInt8(ascii: "/") else { return false }
    for index in root.indices where self[index] != root[index] { return false }
    return true
  }

  /// Whether libcurl's parser takes it as it is: a path without dot segments, and perhaps a query; no fragment,
  /// nothing that has to be percent-encoded.
  fileprivate var isPlainTarget: Bool {
    var last: UInt8 = 0
    for index in indices {
      let byte = self[index]
      guard (0x21...0x7e).contains(byte), byte != UInt8(ascii: "#") else { return false }
      if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return false }
      last = byte
    }
    // A query that is empty is left out.
    return last != UInt8(ascii: "?")
  }
}
