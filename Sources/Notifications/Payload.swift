/// The JSON object that goes to APNs, as it came. It can be read, and written anew with attachments, replaced
/// URLs, other members or decrypted content; every byte outside the change is kept. A value, without any I/O.
///
/// It holds its bytes and an index of them: twice its bytes in all for a payload as providers send it, at
/// worst (`[1,1,1…`) five times.
package struct Payload: Sendable {
  /// Bytes of input, generous beside the 4096 that APNs takes: encrypted content may be replaced before it
  /// goes out.
  package static let maximumLength = 65_536
  /// Nested arrays and objects: what devices accept (Foundation's JSONSerialization).
  package static let maximumDepth = 512

  let document: JSONDocument

  /// - Throws: what keeps the bytes from being a payload, and where.
  package init(_ bytes: [UInt8]) throws(PayloadError) {
    do {
      document = try JSONDocument(
        bytes, maximumDepth: Self.maximumDepth, maximumLength: Self.maximumLength)
    } catch {
      throw .notJSON(error)
    }
    guard root.kind == .object else { throw .notAnObject(root.kind) }
  }

  /// The input, byte for byte.
  package var bytes: [UInt8] { document.bytes }

  /// The top object.
  package var root: JSONValue { document.root }

  /// Whether the top object has a member of this name, in whatever spelling.
  package func hasMember(_ name: String) -> Bool { root[name] != nil }
}

/// Why bytes are not a valid payload.
package enum PayloadError: Error, Equatable, CustomStringConvertible {
  case notJSON(JSONError)
  case notAnObject(JSONValue.Kind)

  package var description: String {
    switch self {
    case .notJSON(let error): "not JSON: \(error)"
    case .notAnObject(let kind): "a payload is a JSON object, and this is of kind \(kind.rawValue)"
    }
  }
}
