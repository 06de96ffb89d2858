import Decrypting
import Notifications
import Supporting
import TestSupport
import Testing

@testable import Enriching

@Suite("Encrypted content")
struct UnsealedContentTests {
  struct Format: Sendable, CustomTestStringConvertible {
    let keyID: String
    let shape: ContentShape?
    /// The members that hold the ciphertext.
    let members: [String]

    var testDescription: String { "\(keyID) \(shape?.rawValue ?? "")" }
  }

  static let formats = [
    Format(keyID: "dev-7f3a", shape: nil, members: ["enc"]),
    Format(keyID: "dev-7f3a", shape: .apple, members: ["ENCRYPTED_DATA"]),
    Format(keyID: "web", shape: nil, members: ["enc"]),
    Format(keyID: "account", shape: nil, members: ["i", "m", "k", "s"]),
    Format(keyID: "account", shape: .tootRelay, members: ["p", "k", "s", "x"]),
    Format(keyID: "web", shape: .metatext, members: ["i", "m"]),
    Format(keyID: "web", shape: .tootRelay, members: ["p", "x"]),
    Format(keyID: "jwe-direct", shape: nil, members: ["enc"]),
    Format(keyID: "jwe-agreed", shape: nil, members: ["enc"]),
  ]
  private static let plaintext = #"{"body":"Look!","media":["https://media.example/a"],"secret":"s"}"#
  private static let opened = #"{"aps":{"alert":{"title":"New","body":"Look!"},"mutable-content":1},"n":1.0}"#
  private static let failed = Failure(.decryptFailed, "the encrypted data could not be decrypted")
  private static let unknown = Failure(.keyUnknown, "it is encrypted for an unknown key")

  @Test("replaces the ciphertext", arguments: formats)
  func good(format: Format) throws {
    let payload = try Sealed.content(Self.plaintext, keyID: format.keyID, as: format.shape)
    for member in format.members { #expect(payload.object[member] != nil) }
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    #expect(String(decoding: try payload.applying(opened.edits), as: UTF8.self) == Self.opened)
    #expect(opened.media.map(\.url) == ["https://media.example/a"])
    #expect(opened.wasEncrypted)
  }

  @Test("with any character changed is the same failure", arguments: formats)
  func changed(format: Format) throws {
    let payload = try Sealed.content(Self.plaintext, keyID: format.keyID, as: format.shape)
    let ring = try Sealed.ring()
    // Every character of the ciphertext's values, including the names of keys.
    let text = Array(payload.bytes)
    let start = Array(Sealed.outer.utf8).count
    for index in start..<text.count - 1 where text[index] != UInt8(ascii: "\"") {
      var changed = text
      changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      guard changed != text, let payload = try? Payload(changed) else { continue }
      do throws(Failure) {
        let opened = try UnsealedContent(of: payload, with: ring, mediaKeys: [])
        let bytes = try? payload.applying(opened.edits)
        // The changed byte was in a member's name, or in the record size, which is not authenticated.
        #expect(!opened.wasEncrypted || bytes == Array(Self.opened.utf8), "\(index)")
      } catch {
        // The changed byte was in the name of the sender's key or of the salt.
        let isIncomplete =
          error.detail == "it has 'k', but not 's'" || error.detail == "it has 's', but not 'k'"
        #expect(error == Self.failed || error == Self.unknown || isIncomplete, "\(index)")
      }
    }
  }

  @Test("for another key of the same format is the same failure") func otherKey() throws {
    let payload = try Sealed.content(Self.plaintext)
    let key = "AAAAAAAAAAAAAAAAAAAAAA"
    for record in [
      #"{"format":"aes128gcm","key":"\#(key)"}"#,
      #"{"format":"webpush","private-key":"q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94","auth":"\#(key)"}"#,
      #"{"format":"aesgcm","private-key":"q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94","auth":"\#(key)"}"#,
      #"{"format":"jwe","alg":"dir","enc":"A128GCM","key":"\#(key)"}"#,
    ] {
      let ring = KeyRing(try KeyFile.records(in: Array(#"{"dev-7f3a":\#(record)}"#.utf8), of: ""))
      #expect(throws: Self.failed) { try UnsealedContent(of: payload, with: ring, mediaKeys: []) }
    }
    #expect(throws: Self.unknown) { try UnsealedContent(of: payload, with: KeyRing(), mediaKeys: []) }
  }

  @Test(
    "in an incomplete shape is one failure, and is never read as a simpler shape",
    arguments: [
      #""enc":{"v":1,"ce":"aes128gcm","kid":"dev-7f3a"}"#, #""enc":{"v":1,"ce":"aes128gcm","data":"AA"}"#,
      #""enc":{"v":2,"ce":"aes128gcm","kid":"dev-7f3a","data":"AA"}"#,
      #""enc":{"ce":"aes128gcm","kid":"dev-7f3a","data":"AA"}"#,
      #""enc":{"v":1,"kid":"dev-7f3a","data":"AA"}"#,
      #""enc":{"v":1,"ce":"none","kid":"dev-7f3a","data":"e30"}"#,
      #""enc":{"v":1,"ce":"aes128gcm","kid":"dev-7f3a","data":""}"#,
      #""enc":{"v":1,"ce":"aes128gcm","kid":"dev-7f3a","data":7}"#,
      #""enc":{"v":1,"ce":"jwe","kid":"jwe-direct","data":"e30.e30"}"#,
      #""enc":{"v":1,"ce":"jwe","kid":"jwe-direct","data":"bm9uZQ..AA.AA.AA"}"#,
      #""ENCRYPTED_DATA":"U2FsdGVkX1""#,
    ])
  func shape(member: String) throws {
    let bytes = Array(#"{"aps":{"alert":"x","mutable-content":1},\#(member)}"#.utf8)
    let payload = try Payload(bytes)
    #expect(throws: Self.failed) { try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: []) }
  }

  @Test(
    "that is authentic but not an object is a failure",
    arguments: ["", "[]", "\"x\"", "{", "{} {}", "\u{feff}{}"])
  func plaintext(text: String) throws {
    let body = try RecordsSealer(Sealed.recordsKey()).seal(text.utf8.span)
    let data = BaseEncoding.base64URL.encode(body.span)
    let payload = try Payload(
      Array(#"{"enc":{"v":1,"ce":"aes128gcm","kid":"dev-7f3a","data":"\#(data)"}}"#.utf8))
    #expect(throws: Self.failed) { try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: []) }
  }

  @Test(
    "is detected only if its members have the right types",
    arguments: [
      #""enc":"utf-8""#, #""enc":{"name":"utf-8"}"#, #""i":1,"m":2,"k":3,"s":4"#, #""m":"","k":"","s":"""#,
      #""i":"account","m":"","k":"","s":"""#, #""p":"1","k":"v","s":"x","x":"account""#,
      #""i":"a","m":"b","k":"c","s":"d""#, #""enc":{"data":"x"}"#, #""p":"hello","x":"world""#,
      #""ENCRYPTED_DATA":{}"#,
    ])
  func others(member: String) throws {
    let media = #""media":"https://media.example/a""#
    let payload = try Payload(Array(#"{"aps":{"alert":"x","mutable-content":1},\#(member),\#(media)}"#.utf8))
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    #expect(!opened.wasEncrypted)
    #expect(opened.edits == [])
    #expect(opened.media.map(\.url) == ["https://media.example/a"])
  }

  @Test("alone decides which media there are") func mediaBeside() throws {
    let sealed = try Sealed.content(Self.plaintext)
    let beside = Array(#","media":"https://attacker.example/a"}"#.utf8)
    let opened = try UnsealedContent(
      of: Payload(sealed.bytes.dropLast() + beside), with: Sealed.ring(), mediaKeys: [])
    #expect(opened.media.map(\.url) == ["https://media.example/a"])
  }
}
