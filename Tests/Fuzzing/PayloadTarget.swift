import Decrypting
@testable import Enriching
@testable import Notifications

/// Payloads, in envelopes too: JSON, dialects, encrypted shapes, and everything that is written back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  guard let message = try? PushMessage(input.bytes) else { return 0 }
  for payload in message.payloads { change(payload) }
  // A message without an envelope is also used as its own plaintext.
  if message.envelope == nil, let payload = message.payloads.first { disclose(payload) }
  return 0
}

private func change(_ payload: Payload) {
  _ = payload.ineligibility(pushType: payload.pushType)
  // Every character that `--public-url` allows. Reteno's SDK could not read back a quote or a backslash.
  let stored = "https://cdn.example:8443/aZ09-._~:/[]@!$&'()*+,;=%22?file="
  let urls = payload.mediaReferences(mediaKeys: []).filter { $0.coding == nil }.map {
    (sent: $0.url, stored: stored)
  }
  let places = payload.replacing(urls)
  for url in urls { Input.require(!places.paths(of: url.sent).isEmpty, "a URL was not found again") }
  if let result = try? payload.applying(places.edits) {
    let left = again(payload, in: result)?.mediaReferences(mediaKeys: []).map(\.url)
    Input.require(
      urls.isEmpty || result.count > Payload.maximumLength || left?.contains(stored) == true,
      "no URL was replaced")
  }
  if let edits = try? payload.attaching([], key: "attachments") {
    let result = (try? payload.applying(edits)) ?? []
    Input.require(
      result.count > Payload.maximumLength || again(payload, in: result)?.object["attachments"] != nil,
      "the result lacks the attachments")
  }
  for shape in ContentShape.allCases { _ = try? shape.open(payload.object, with: KeyRing()) }
  _ = try? UnsealedContent(of: payload, with: KeyRing(), mediaKeys: [])
}

/// The same payload in a changed message.
private func again(_ payload: Payload, in result: [UInt8]) -> Payload? {
  (try? PushMessage(result))?.payloads.first { $0.path == payload.path }
}

private func disclose(_ payload: Payload) {
  guard let content = PlainContent(payload.message) else { return }
  for entry in content.media(orIn: "icon") { _ = MediaRequest(entry, KeyRing()) }
  if let edits = try? payload.disclosing(content, insteadOf: ["enc", "m"]) {
    let disclosed = try? Payload(payload.applying(edits))
    Input.require(disclosed != nil, "decrypted content broke the payload")
    guard let disclosed else { return }
    Input.require(disclosed.object["enc"] == nil && disclosed.object["m"] == nil, "ciphertext was left")
  }
}
