import Decrypting
@testable import Enriching
@testable import Notifications

/// Payloads: JSON, dialects, encrypted shapes, and everything that is written back.
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
  if let result = try? payload.applying(places.edits) {
    let left = (try? Payload(result))?.mediaReferences(mediaKeys: []).map(\.url)
    Input.require(
      urls.isEmpty || result.count > Payload.maximumLength || left?.contains(stored) == true,
      "no URL was replaced")
  }
  if let edits = try? payload.attaching([], key: "attachments") {
    let result = (try? payload.applying(edits)) ?? []
    Input.require((try? Payload(result))?.object["attachments"] != nil, "the result lacks the attachments")
  }
  for shape in ContentShape.allCases { _ = try? shape.open(payload.object, with: KeyRing()) }
  _ = try? UnsealedContent(of: payload, with: KeyRing(), mediaKeys: [])
  // The payload is also used as its own plaintext.
  if let content = PlainContent(payload.message) {
    for entry in content.media(orIn: "icon") { _ = MediaRequest(entry, KeyRing()) }
    if let edits = try? payload.disclosing(content, insteadOf: ["enc", "m"]) {
      let disclosed = try? Payload(payload.applying(edits))
      Input.require(disclosed != nil, "decrypted content broke the payload")
      guard let disclosed else { return 0 }
      Input.require(disclosed.object["enc"] == nil && disclosed.object["m"] == nil, "ciphertext was left")
    }
  }
  return 0
}
