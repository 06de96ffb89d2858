import Foundation
import Glibc
import Misbehaving
import Notifications
import TestSupport

/// Known keys, and payloads that need them: some that can be decrypted, and every failure.
struct Secrets {
  let keys: String
  /// The bytes that must not be found, each with a name.
  private(set) var needles: [(name: String, bytes: [UInt8])] = []
  private let place: Workplace
  /// A medium in each format, as content names it, with `URL` as a placeholder for its URL.
  private var entries: [(format: String, entry: String, file: String)] = []

  init(_ place: Workplace) async throws {
    self.place = place
    keys = place.folder.path(of: "keys.json")
    let text = try Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json")
    try Files.write(text, to: keys)
    guard unsafe chmod(keys, 0o600) == 0 else { throw Failure.notOurs }
    for member in try JSONDocument(text).root.members {
      for name in ["key", "private-key", "auth"] {
        if let secret = member.value[name]?.string { add("\(name) of \(member.name)", base64URL: secret) }
      }
    }
    for format in ["aes128gcm", "matrix", "aesgcm", "signal"] {
      let file = place.folder.path(of: "photo.\(format)")
      let entry = try await seal(
        [
          "media", "--format", format, "--url", "https://URL", "--output", file,
          "\(Fixtures.media)/photo.jpg",
        ])
      let text = String(decoding: entry.dropLast(), as: UTF8.self)
      entries.append((format, text, file))
      let root = try JSONDocument(Array(text.utf8)).root
      if let secret = (root["enc"]?["k"] ?? root["file"]?["key"]?["k"])?.string {
        add("key of \(format)", base64URL: secret)
      } else if let fragment = text.split(separator: "#").last {
        let digits = Array(fragment.utf8).prefix(88).suffix(64).map {
          Int(String(UnicodeScalar($0)), radix: 16) ?? 0
        }
        add(
          "key of \(format)", stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
      }
    }
  }

  enum Failure: Error { case notOurs }

  func payloads() async throws -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    let all = entries.map { media($0.entry, at: serving($0.file)) }.joined(separator: ",")
    for keyID in ["dev-7f3a", "web", "account", "jwe-direct", "jwe-agreed"] {
      let good = try await content("[\(all)]", for: keyID)
      payloads.append(good)
      for place in [2, 3, 4] {
        var changed = good
        let index = good.count * place / 5
        changed[index] = good[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        if (try? Payload(changed)) != nil { payloads.append(changed) }
      }
    }
    payloads.append(
      Array(String(decoding: payloads[0], as: UTF8.self).replacing("dev-7f3a", with: "lost").utf8))
    for (_, entry, file) in entries {
      let whole = Response(.file(file))
      for behaviour in [
        .truncated(whole), .serve(.notFoundPage), .serve(Response(.file("\(Fixtures.media)/photo.jpg"))),
        .serve(Response(.padded(first: [], length: 70_000_000))), .redirect(to: "ftp://127.0.0.1/"),
        .serve(Response(.bytes(try Files.read(file) + [0]))), .serve(Response(.bytes([]))),
      ] as [Behaviour] {
        payloads.append(try await content(media(entry, at: place.server.url(behaviour))))
      }
      // A key that is one character short, and a key in a place where keys are not looked for.
      payloads.append(try await content(media(entry.replacing(#"A","#, with: #"","#), at: serving(file))))
      payloads.append(try await content(#"{"url":"\#(serving(file))","key":\#(entry)}"#))
    }
    // An authentic page is not a medium.
    let page = place.folder.path(of: "page")
    let entry = try await seal(
      ["media", "--url", "https://URL", "--output", page, "\(Fixtures.media)/page.html"])
    payloads.append(
      try await content(media(String(decoding: entry.dropLast(), as: UTF8.self), at: serving(page))))
    return payloads
  }

  private func serving(_ file: String) -> String { place.server.url(.serve(Response(.file(file)))) }

  /// An `aesgcm` URL means https, which the server does not speak. Its port is refused.
  private func media(_ entry: String, at url: String) -> String {
    entry.replacing("https://URL", with: url).replacing("aesgcm://URL", with: "aesgcm://127.0.0.1:1")
  }

  private func content(_ media: String, for keyID: String = "dev-7f3a") async throws -> [UInt8] {
    let text = #"{"title":"Alice","media":\#(media)}"#
    return try await seal(["content", "--keys", keys, "--kid", keyID], input: Array(text.utf8))
  }

  private func seal(_ words: [String], input: [UInt8] = []) async throws -> [UInt8] {
    try await Command(PushEnricher.path).runSuccessfully(["seal"] + words, input: input).standardOutput
  }

  private mutating func add(_ name: String, base64URL text: String) {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    if let bytes = Data(base64Encoded: padded) { add(name, Array(bytes)) }
  }

  private mutating func add(_ name: String, _ bytes: [UInt8]) {
    // The two halves of a Signal key are keys of their own.
    let parts = bytes.count == 64 ? [bytes, Array(bytes.prefix(32)), Array(bytes.suffix(32))] : [bytes]
    for part in parts {
      let hexadecimal = part.map { (byte: UInt8) in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
      let base64 = Data(part).base64EncodedString().filter { $0 != "=" }
      // The last character may also encode bits of the byte that follows.
      let stable = String(base64.dropLast())
      needles += [
        (name, part), ("\(name) in hexadecimal", Array(hexadecimal.utf8)),
        ("\(name) in hexadecimal", Array(hexadecimal.uppercased().utf8)),
        ("\(name) in base64", Array(stable.utf8)),
        (
          "\(name) in base64url",
          Array(stable.replacing("+", with: "-").replacing("/", with: "_").utf8)
        ),
      ]
    }
  }
}
