import Decrypting
import Foundation

extension JWEHeader {
  /// Reads a header as its user will: any JSON reader, then the members.
  init(json: [UInt8]) throws {
    guard let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
      throw DecryptingError.failed
    }
    try self.init(Self.members(object))
  }

  private static func members(_ object: [String: Any]) -> [Member] {
    object.map { name, value in
      switch value {
      case let text as String: Member(name, .text(text))
      case let object as [String: Any]: Member(name, .object(members(object)))
      default: Member(name, .other)
      }
    }
  }
}

extension KeyRing {
  /// Takes a JWE apart, reads its header, opens it.
  func open(jwe text: String, keyID: String?) throws -> [UInt8] {
    let message = try JWEMessage(compact: text)
    return try open(message, header: JWEHeader(json: message.header), keyID: keyID)
  }
}
