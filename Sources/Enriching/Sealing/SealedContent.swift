internal import Decrypting
internal import Notifications

/// The members of a payload that hold ciphertext.
enum SealedContent {
  typealias Member = (name: String, json: [UInt8])

  static func own(coding: String, keyID: String, data: String) -> [Member] {
    var writer = JSONWriter()
    writer.object {
      $0.member("v", 1)
      $0.member("ce", coding)
      $0.member("kid", keyID)
      $0.member("data", data)
    }
    return [("enc", writer.bytes)]
  }

  static func apple(_ data: String) -> [Member] { texts(("ENCRYPTED_DATA", data)) }

  static func metatext(_ message: LegacyWebPushMessage, keyID: String) -> [Member] {
    let members = message.members
    return texts(("i", keyID), ("m", members.m), ("k", members.k), ("s", members.s))
  }

  static func tootRelay(_ message: LegacyWebPushMessage, keyID: String) -> [Member] {
    let members = message.z85Members
    return texts(("p", members.p), ("k", members.k), ("s", members.s), ("x", keyID))
  }

  private static func texts(_ members: (String, String)...) -> [Member] {
    members.map { name, text in
      var writer = JSONWriter()
      writer.write(text)
      return (name, writer.bytes)
    }
  }
}
