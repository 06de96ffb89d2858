import Decrypting
import Notifications
import TestSupport
import Testing

@testable import Enriching

@Suite("Content that others encrypted")
struct ContentOfOthersTests {
  private static let failed = Failure(.decryptFailed, "the encrypted data could not be decrypted")

  static let cases = {
    let path = "\(Fixtures.root)/Fixtures/encrypted/by-others/cases.json"
    let root = (try? JSONDocument(Files.read(path)))?.root
    return root.map { $0.members.map { ($0.name, $0.value.spelling) } } ?? []
  }()

  private static func payload(_ members: String) throws -> Payload {
    try Payload(Array(#"{"aps":{"alert":"x","mutable-content":1},\#(members)}"#.utf8))
  }

  private static func open(_ members: String, with ring: KeyRing? = nil) throws -> UnsealedContent {
    try UnsealedContent(of: payload(members), with: ring ?? Sealed.ring(), mediaKeys: [])
  }

  @Test("is opened, whatever alphabet and padding its sender's library has", arguments: cases)
  func opens(name: String, object: String) throws {
    let payload = try Self.payload(String(object.dropFirst().dropLast()))
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    #expect(opened.wasEncrypted)
    #expect(opened.media.isEmpty)
    let result = try JSONDocument(payload.applying(opened.edits)).root
    #expect(result["aps"]?["alert"]?.spelling == #"{"title":"Alice","body":"Look!"}"#)
    #expect(result["enc"] == nil && result["ciphertext"] == nil && result["p"] == nil && result["m"] == nil)
  }

  @Test("there are cases") func count() { #expect(Self.cases.count >= 16) }

  @Test("with only one of sender's key and salt names the other one", arguments: ["k", "s"])
  func incomplete(missing: String) throws {
    for shape in [ContentShape.metatext, .tootRelay] {
      let whole = try Sealed.content("{}", keyID: "account", as: shape)
      let payload = try Payload(whole.applying(whole.object.edits(setting: [], removing: [missing])))
      let other = missing == "k" ? "s" : "k"
      #expect(
        throws: Failure(
          .decryptFailed, "it has '\(other)', but not '\(missing)'",
          advice: "have the relay send both the sender's key and the salt, or neither (aes128gcm)")
      ) { try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: []) }
    }
  }

  @Test("of Bark in a mode without authentication is refused by the mode's name")
  func unauthenticated() throws {
    for (members, mode) in [(#""iv":"0123456789abcdef""#, "CBC"), (#""x":1"#, "ECB")] {
      let error = #expect(throws: Failure.self) {
        try Self.open(#""ciphertext":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",\#(members)"#)
      }
      #expect(error?.reason == .decryptFailed)
      #expect(error?.detail == "it is encrypted with \(mode), which lets anybody change it")
    }
    #expect(throws: Self.failed) {
      try Self.open(#""ciphertext":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","iv":"0123456789ab""#)
    }
  }

  @Test("of Bark says where its picture is") func picture() throws {
    let payload = try Sealed.content(#"{"Image":"https://media.example/a","group":"g"}"#, keyID: "phone")
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    #expect(opened.media.map(\.url) == ["https://media.example/a"])
    let result = try JSONDocument(payload.applying(opened.edits)).root
    #expect(result["aps"]?["thread-id"]?.string == "g")
  }

  @Test("of Bark needs the only key of its format, because it names none") func severalKeys() throws {
    let keys =
      #"{"a":{"format":"bark","key":"0123456789abcdef"},"b":{"format":"bark","key":"fedcba9876543210"}}"#
    let ring = KeyRing(try KeyFile.records(in: Array(keys.utf8), of: ""))
    let error = #expect(throws: Failure.self) { try Self.open(#""ciphertext":"AAAA""#, with: ring) }
    #expect(
      error?.description == "key-unknown: it names no key, and there are several keys of the format bark")
    #expect(error?.advice.hasPrefix("keep one key of the format bark") == true)
  }

  @Test("under Apple's name is for an unknown key if there are no keys") func withoutKeys() {
    #expect(throws: Failure(.keyUnknown, "it is encrypted for an unknown key")) {
      try Self.open(#""ENCRYPTED_DATA":"U2FsdGVkX1""#, with: KeyRing())
    }
  }

  @Test("keeps half of a pair of surrogates as it is spelled") func loneSurrogate() throws {
    let payload = try Sealed.content(#"{"title":"\ud83d\ude00","body":"a\ud83db"}"#)
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    let result = try JSONDocument(payload.applying(opened.edits)).root
    #expect(result["aps"]?["alert"]?.spelling == #"{"title":"😀","body":"a\ud83db"}"#)
  }

  @Test("has HTML's entities decoded if the key's record says so", arguments: [true, false])
  func entities(isOn: Bool) throws {
    let text =
      #"{"k":{"format":"webpush","private-key":"q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94","auth":"BTBZMqHH6r4Tts7J_aSIgg==","html-entities":\#(isOn)}}"#
    let ring = KeyRing(try KeyFile.records(in: Array(text.utf8), of: ""))
    let sealed = try Sealer(ring).seal(
      content: Array(#"{"title":"&lt;","body":"&lt;a&#39;&#x1F600;&amp;lt; &no; &#0; &"}"#.utf8), keyID: "k",
      as: .metatext, into: Payload(Array(Sealed.outer.utf8)))
    let payload = try Payload(sealed)
    let opened = try UnsealedContent(of: payload, with: ring, mediaKeys: [])
    let alert = try JSONDocument(payload.applying(opened.edits)).root["aps"]?["alert"]
    #expect(alert?["title"]?.string == "&lt;")
    let expected = isOn ? "<a'😀&lt; &no; &#0; &" : "&lt;a&#39;&#x1F600;&amp;lt; &no; &#0; &"
    #expect(alert?["body"]?.string == expected)
  }
}

@Suite("Passwords and keys in URLs")
struct MaskingTests {
  @Test(
    "are masked, whether the URL is valid or not",
    arguments: [
      ("https://u:p@h/a", "https://***@h/a"), ("https://u@h/a", "https://***@h/a"),
      ("https://u:p/w@h/a", "https://***@h/a"), ("https:u:p@h", "https:***@h"),
      (#"https:\\u:p@h"#, #"https:\\***@h"#), ("https://h:443/@a/b", "https://h:443/@a/b"),
      ("https://h/@a", "https://h/@a"), ("https://h/a?b=c@d", "https://h/a?b=c@d"), ("a@b", "a@b"), ("", ""),
      ("https://[::1]/a@b", "https://[::1]/a@b"),
      ("aesgcm://h/x%23" + String(repeating: "0a", count: 44), "aesgcm://h/x%***"),
      ("AESGCM://h/" + String(repeating: "0a", count: 32) + "/x", "AESGCM://h/***/x"),
      ("https://h/" + String(repeating: "0a", count: 32), "https://h/" + String(repeating: "0a", count: 32)),
    ])
  func masked(url: String, shown: String) { #expect(url.masked == shown) }
}
