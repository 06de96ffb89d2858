import COpenSSL
import Queueing
import Testing
import Supporting
import TestSupport

@testable import Sending

@Suite struct SigningKeyTests {
  /// A new key in PKCS#8, as Apple hands it out.
  static func pem(curve: String = "P-256") async throws -> [UInt8] {
    try await Command("openssl").runSuccessfully(
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)"]
    ).standardOutput
  }

  static func openssl(_ arguments: [String], _ input: [UInt8] = []) async throws -> [UInt8] {
    try await Command("openssl").runSuccessfully(arguments, input: input).standardOutput
  }

  /// RFC 7515 appendix A.3: the key can be read, and OpenSSL accepts its signature and ours of the same text.
  @Test func exampleOfTheRFC() async throws {
    let d = try #require(
      decodeBase64URL("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"))
    let x = try #require(
      decodeBase64URL("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
    let y = try #require(
      decodeBase64URL("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    // ECPrivateKey (RFC 5915) in PKCS#8: version, curve, 32 bytes, and the public point.
    let der: [UInt8] =
      [
        0x30, 0x81, 0x87, 2, 1, 0, 0x30, 0x13, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 8, 0x2A, 0x86,
        0x48,
      ]
      + [0xCE, 0x3D, 3, 1, 7, 4, 0x6D, 0x30, 0x6B, 2, 1, 1, 4, 0x20] + d
      + [0xA1, 0x44, 3, 0x42, 0, 4] + x + y
    let pem = try await Self.openssl(["pkey", "-inform", "DER"], der)
    let key = try SigningKey(pem: pem)
    let signed = Array(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        .utf8)
    let theirs = try #require(
      decodeBase64URL(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
    #expect(try await Self.verifies(theirs, of: signed, with: pem))
    let ours = try #require(key.signature(of: signed))
    #expect(try await Self.verifies(ours, of: signed, with: pem))
    var changed = ours
    changed[63] ^= 1
    #expect(try await !Self.verifies(changed, of: signed, with: pem))
  }

  /// Whether OpenSSL's own program takes r and s as a signature.
  static func verifies(_ signature: [UInt8], of text: [UInt8], with pem: [UInt8]) async throws -> Bool {
    try await withTemporaryDirectory { folder in
      func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let short = Array(bytes.drop { $0 == 0 })
        let content = (short.first ?? 0x80) >= 0x80 ? [0] + short : short
        return [2, UInt8(content.count)] + content
      }
      let numbers = number(signature[..<32]) + number(signature[32...])
      try folder.write([0x30, UInt8(numbers.count)] + numbers, to: "signature")
      try folder.write(text, to: "text")
      try folder.write(try await openssl(["pkey", "-pubout"], pem), to: "key")
      let run = try await Command("openssl").run([
        "dgst", "-sha256", "-verify", folder.path(of: "key"), "-signature", folder.path(of: "signature"),
        folder.path(of: "text"),
      ])
      return run.exitStatus == 0
    }
  }

  @Test func shortNumbersArePadded() {
    #expect(
      SigningKey.plain([0x30, 6, 2, 1, 5, 2, 1, 9]) == [UInt8](repeating: 0, count: 31) + [5]
        + [UInt8](repeating: 0, count: 31) + [9])
    #expect(SigningKey.plain([0x30, 6, 2, 1]) == nil)
    // This number is longer than 32 bytes.
    #expect(SigningKey.plain([0x30, 38, 2, 33] + [UInt8](repeating: 1, count: 33) + [2, 1, 1]) == nil)
  }

  /// One of 128 signatures has a short number. Of 2,000 signatures, about 15 have one; not even one run in a
  /// million has none.
  @Test func everySignatureHas64Bytes() async throws {
    let key = try SigningKey(pem: try await Self.pem())
    var short = 0
    for number in 0..<2_000 {
      let signature = try #require(key.signature(of: Array("\(number)".utf8)))
      #expect(signature.count == 64)
      if signature[0] == 0 || signature[32] == 0 { short += 1 }
    }
    #expect(short > 0)
  }

  @Test func wrongContentsAreNamed() async throws {
    let pem = try await Self.pem()
    let cases: [([UInt8], String)] = [
      ([], "it is empty: "), (Array("hello".utf8), "it has no -----BEGIN PRIVATE KEY-----: "),
      (Array(pem.prefix(100)), "its key is damaged or incomplete: "),
      (try await Self.openssl(["ec"], pem), "its key is not in PKCS#8: "),
      (try await Self.openssl(["pkey", "-pubout"], pem), "it has a public key, which cannot sign: "),
      (
        try await Self.openssl(["pkcs8", "-topk8", "-passout", "pass:abcd"], pem), "its key has a password: "
      ),
      (try await Self.openssl(["pkey", "-outform", "DER"], pem), "it has no -----BEGIN PRIVATE KEY-----: "),
      (try await Self.pem(curve: "P-384"), "its key is on a curve other than P-256: "),
      (
        try await Self.openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
        "its key is for another algorithm, such as RSA: "
      ),
      (try await Self.openssl(["genrsa", "-traditional", "2048"]), "its key is for RSA: "),
      (Array("-----BEGIN CERTIFICATE-----".utf8), "it has a certificate: "),
      ([UInt8](repeating: 0x20, count: 70_000), "it is longer than 64 KiB: "),
    ]
    try await withTemporaryDirectory { folder in
      for (bytes, text) in cases {
        let path = try folder.write(bytes, to: "key", mode: 0o600)
        let error = Self.error(path)
        #expect(
          error?.hasPrefix("the key file \(path) cannot be used: \(text)") == true, "\(error ?? "none")")
        Files.remove(path)
      }
    }
  }

  @Test func wrongFilesAreNamed() async throws {
    let pem = try await Self.pem()
    try await withTemporaryDirectory { folder in
      let missing = folder.path(of: "missing")
      #expect(Self.error(missing) == "the key file \(missing) cannot be read: No such file or directory")
      #expect(Self.error(folder.path) == "the key file \(folder.path) cannot be read: it is not a file")
      let open = try folder.write(pem, to: "open", mode: 0o644)
      #expect(
        Self.error(open)?.hasPrefix(
          "the key file \(open) is refused: users other than its owner have access (mode 644): chmod 600 ")
          == true)
      #expect(Self.error(try folder.write(pem, to: "right", mode: 0o600)) == nil)
    }
  }

  static func error(_ path: String) -> String? {
    do throws(QueueError) {
      _ = try SigningKey.read(path)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
