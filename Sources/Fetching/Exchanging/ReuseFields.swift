/// What a response says about its reuse (RFC 9111). If that is more than a kilobyte, the response is not reused:
/// many payloads have such fields in memory at once.
package struct ReuseFields: Sendable, Equatable {
  private struct Said: Equatable {
    let field: HeaderField
    let value: String
  }

  /// In bytes.
  private static let maximumText = 1_024

  private var said: [Said] = []

  /// Values by the names of their fields, in lower case.
  package var values: [String: [String]] {
    Dictionary(grouping: said, by: \.field.rawValue).mapValues { $0.map(\.value) }
  }

  /// - Parameter value: without white space around it.
  mutating func add(_ field: HeaderField, _ value: String) {
    // Empty ones take memory too.
    let size = said.reduce(value.utf8.count) { $0 + $1.value.utf8.count + 16 }
    guard size <= Self.maximumText else { return forbid() }
    // As many as most responses have.
    if said.isEmpty { said.reserveCapacity(4) }
    said.append(Said(field: field, value: value))
  }

  /// Has the response not be reused, whatever else it says.
  mutating func forbid() { said = [Said(field: .cacheControl, value: "no-store")] }
}
