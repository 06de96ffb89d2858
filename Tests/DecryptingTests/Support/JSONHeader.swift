@testable import Decrypting

extension JWEHeader {
  /// A member of the header, or of an object in it.
  struct Member: Sendable {
    var name: String
    var value: Value

    init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }

    fileprivate var json: String { "\"\(name)\":\(value.json)" }
  }

  indirect enum Value: Sendable {
    case text(String)
    case object([Member])
    /// Any other kind of JSON value.
    case other

    fileprivate var json: String {
      switch self {
      case .text(let text): "\"\(text)\""
      case .object(let members): "{\(members.map(\.json).joined(separator: ","))}"
      case .other: "[1]"
      }
    }
  }

  /// Makes a header of all members in this order, including repeated names.
  init(_ members: [Member]) throws(DecryptingError) {
    try self.init(json: Array(Value.object(members).json.utf8))
  }
}
