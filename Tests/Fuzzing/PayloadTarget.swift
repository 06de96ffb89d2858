import Decrypting
@testable import Enriching
@testable import Notifications

/// Payloads: JSON, dialects, encrypted shapes, and whatever of them is written back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  guard let payload = try? Payload(input.bytes) else { return 0 }
  _ = payload.ineligibility(pushType: nil)
  let stored = #"https://cdn.example/"a""#
  let urls = payload.mediaReferences(mediaKeys: []).filter { $0.coding == nil }.map {
    (sent: $0.url, stored: stored)
  }
  let places = payload.replacing(urls)
  for url in urls { Input.require(!places.paths(of: url.sent).isEmpty, "a URL was not found again") }
  if let result = try? payload.applying(places, maximumSize: .max) {
    let left = (try? Payload(result))?.mediaReferences(mediaKeys: []).map(\.url)
    Input.require(
      urls.isEmpty || result.count > Payload.maximumLength || left?.contains(stored) == true,
      "no URL was replaced")
  }
  if let result = try? payload.attaching([], key: "attachments", maximumSize: .max) {
    Input.require((try? Payload(result))?.hasMember("attachments") == true, "what was attached is not there")
  }
  for shape in EncryptedShape.all { _ = try? shape.read(payload.root) }
  _ = try? OpenedPayload(payload, with: KeyRing(), mediaKeys: [])
  // As if it were the plaintext of itself.
  if let content = PlainContent(payload.document) {
    for entry in content.media(orIn: "icon") { _ = MediaRequest(entry, KeyRing()) }
    if let disclosed = try? payload.disclosing(content, insteadOf: ["enc", "m"]) {
      Input.require(!disclosed.hasMember("enc") && !disclosed.hasMember("m"), "ciphertext was left")
    }
  }
  return 0
}
