internal import Decrypting
internal import Notifications

extension JWEHeader {
  /// - Throws: `DecryptingError.failed`, also if it is not a JSON object.
  init(json: [UInt8]) throws(DecryptingError) {
    guard let document = try? JSONDocument(json, maximumDepth: 8), document.root.kind == .object else {
      throw .failed
    }
    try self.init(Self.members(of: document.root))
  }

  private static func members(of object: JSONValue) -> [Member] {
    object.members.map { member in
      switch member.value.kind {
      case .string: Member(member.name, .text(member.value.string ?? ""))
      case .object: Member(member.name, .object(members(of: member.value)))
      case .array, .number, .boolean, .null: Member(member.name, .other)
      }
    }
  }
}
