internal import Synchronization

/// Parses URLs. Most share an earlier URL's root and need no libcurl, which saves 5 % of the cost
/// of a small medium.
package final class URLReader: Sendable {
  private let roots = Mutex(LastFew<URLRoot>())

  /// Parses `text` as `RemoteURL.init` does.
  package func read(_ text: String) throws(FetchError) -> RemoteURL {
    if let (root, target) = known(text) { return RemoteURL(root: root, target: target) }
    let url = try RemoteURL(text)
    // A root that libcurl decoded or mapped is not remembered: it is not how `text` begins.
    guard text.utf8Span.span.isPath(behind: url.root.text.utf8Span.span) else { return url }
    roots.withLock { roots in
      if roots.recall({ $0.text == url.root.text }) == nil { roots.append(url.root) }
    }
    return url
  }

  private func known(_ text: String) -> (URLRoot, target: String)? {
    guard text.utf8.count <= RemoteURL.maximumLength else { return nil }
    let bytes = text.utf8Span.span
    let root = roots.withLock { $0.recall { bytes.isPath(behind: $0.text.utf8Span.span) } }
    guard let root, bytes.extracting(root.text.utf8.count...).isPlainTarget else { return nil }
    return (root, String(text[text.utf8.index(text.startIndex, offsetBy: root.text.utf8.count)...]))
  }
}

extension Span<UInt8> {
  fileprivate func isPath(behind root: Span<UInt8>) -> Bool {
    guard count > root.count, self[root.count] == UInt8(ascii: "/") else { return false }
    for index in root.indices where self[index] != root[index] { return false }
    return true
  }

  /// Whether libcurl would not change it: no dot segments, no fragment, nothing to encode.
  fileprivate var isPlainTarget: Bool {
    var last: UInt8 = 0
    for index in indices {
      let byte = self[index]
      guard isURLByte(at: index), byte != UInt8(ascii: "#") else { return false }
      if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return false }
      last = byte
    }
    // libcurl drops an empty query.
    return last != UInt8(ascii: "?")
  }
}

/// The eight most recently used values.
struct LastFew<Value> {
  private var values: [Value] = []

  /// Returns the most recent value that `isWanted`, and makes it the last to be dropped.
  mutating func recall(_ isWanted: (Value) -> Bool) -> Value? {
    guard let index = values.lastIndex(where: isWanted) else { return nil }
    if index < values.count - 1 { values.append(values.remove(at: index)) }
    return values.last
  }

  mutating func append(_ value: Value) {
    if values.count == 8 { values.removeFirst() }
    values.append(value)
  }
}
