/// A text as a key, with its hash. A dictionary hashes a `String` for each search, and for each neighbour when it removes one.
package struct HashedText: Hashable, Sendable {
  package let text: String
  private let textHash: Int

  package init(_ text: String) { (self.text, textHash) = (text, text.hashValue) }

  package func hash(into hasher: inout Hasher) { hasher.combine(textHash) }

  package static func == (left: Self, right: Self) -> Bool {
    left.textHash == right.textHash && left.text == right.text
  }
}
