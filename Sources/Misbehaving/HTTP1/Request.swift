/// A request as it was on the wire, for tests that check what was sent.
package struct Request: Equatable, Sendable {
  package var method: String
  /// Path and query.
  package var target: String
  package var fields: [Response.Field]
  var attempt = 1

  /// The value of the first field with this name, ignoring case.
  package func value(of name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Reads a head without its empty line. Lenient, because the client under test is not hostile.
  package init?(head: String) {
    let lines = head.split(separator: "\r\n")
    guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
      return Response.Field(String(parts.first ?? ""), String(value))
    }
  }

  package var path: Substring { target.prefix { $0 != "?" } }
  /// The number in a query such as `?hop=3`, or 0 if there is none.
  package var hop: Int { target.split(separator: "=").last.flatMap { Int($0) } ?? 0 }
  /// The same path with the next hop in its query.
  package var nextHop: String { "\(path)?hop=\(hop + 1)" }
}
