internal import Synchronization

/// Reads URLs, most of them without libcurl's parser: that takes a twentieth of what a small medium costs, and
/// what it is there for, scheme and authority, is what the URL before had.
package final class URLReader: Sendable {
  private let roots = Mutex(LastFew<URLRoot>())

  package init() {}

  /// Reads `text` as `RemoteURL.init` does.
  /// - Throws: as that.
  package func read(_ text: String) throws(FetchError) -> RemoteURL {
    if let (root, target) = known(text) { return RemoteURL(root: root, target: target) }
    let url = try RemoteURL(text)
    roots.withLock { roots in
      if roots.last(where: { $0.text == url.root.text }) == nil { roots.append(url.root) }
    }
    return url
  }

  /// - Returns: nil where libcurl's parser has to tell what `text` is.
  private func known(_ text: String) -> (URLRoot, target: String)? {
    guard text.utf8.count <= RemoteURL.maximumLength else { return nil }
    let bytes = text.utf8Span.span
    guard let root = roots.withLock({ $0.last { bytes.begins(with: $0.text.utf8Span.span) } }) else { return nil }
    let length = root.text.utf8.count
    guard bytes.extracting(droppingFirst: length).isPlainTarget else { return nil }
    return (root, String(text.utf8.dropFirst(length))!)
  }
}

extension Span<UInt8> {
  fileprivate func begins(with other: Span<UInt8>) -> Bool {
    guard count >= other.count else { return false }
    for index in other.indices where self[index] != other[index] { return false }
    return true
  }

  /// Whether it is a request target in origin form (RFC 9112 section 3.2.1) that libcurl's parser takes as it
  /// is: a path without dot segments, nothing to encode or decode, no fragment.
  fileprivate var isPlainTarget: Bool {
    // Whatever precedes the first slash is the authority's.
    guard !isEmpty, self[0] == UInt8(ascii: "/") else { return false }
    var last: UInt8 = 0
    for index in indices {
      let byte = self[index]
      guard byte.isPlain, !(byte == UInt8(ascii: ".") && last == UInt8(ascii: "/")) else { return false }
      last = byte
    }
    // It leaves out a query that is empty.
    return last != UInt8(ascii: "?")
  }
}

extension UInt8 {
  /// Of what RFC 3986 allows in a path and a query (section 3.3, 3.4), all but the percent sign.
  fileprivate var isPlain: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
      UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "?"):
      true
    default: false
    }
  }
}
