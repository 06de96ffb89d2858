import COpenSSL
import Queueing
import TestSupport
import Testing

@testable import Sending

@Suite struct ClientCertificateTests {
  /// A certificate with its key, as `openssl pkcs12 -nodes` writes them.
  static func pem(_ folder: TemporaryDirectory, extra: [String] = []) async throws -> [UInt8] {
    let key = folder.path(of: "made.key")
    return try await SigningKeyTests.openssl(
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-days", "30", "-subj",
        "/UID=com.example.uid/CN=Apple Push Services: com.example.app",
      ] + extra) + Files.read(key)
  }

  /// A certificate that expired an hour ago.
  static func expired() async throws -> [UInt8] {
    var key: OpaquePointer?
    let certificate = unsafe openssl_self_signed("DNS:localhost", -3_600, &key)
    defer {
      unsafe X509_free(certificate)
      unsafe EVP_PKEY_free(key)
    }
    func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: max(0, Int(encode(nil))))
      unsafe bytes.withUnsafeMutableBufferPointer {
        var start = $0.baseAddress
        _ = unsafe encode(&start)
      }
      return bytes
    }
    let (first, second) = unsafe (
      der { unsafe i2d_X509(certificate, $0) }, der { unsafe i2d_PrivateKey(key, $0) }
    )
    return try await SigningKeyTests.openssl(["x509", "-inform", "DER"], first)
      + SigningKeyTests.openssl(["pkey", "-inform", "DER"], second)
  }

  static func error(_ path: String) -> String? {
    do throws(QueueError) {
      _ = try ClientCertificate(file: path)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func topicsComeFromTheExtensionOrTheSubject() async throws {
    try await withTemporaryDirectory { folder in
      let list: [UInt8] =
        [0x30, 32, 0x0C, 3] + Array("a.b".utf8) + [0x30, 5, 0x0C, 3] + Array("app".utf8)
        + [0x0C, 8] + Array("a.b.voip".utf8) + [0x30, 6, 0x0C, 4] + Array("voip".utf8)
        + [0x0C, 0]
      let bytes = list.map { String($0, radix: 16) }.map { $0.count == 1 ? "0\($0)" : $0 }.joined()
      let extended = try await Self.pem(folder, extra: ["-addext", "1.2.840.113635.100.6.3.6=DER:\(bytes)"])
      let path = try folder.write(extended, to: "with.pem", mode: 0o600)
      #expect(try ClientCertificate(file: path).topics == ["a.b", "a.b.voip", ""])
      let plain = try folder.write(try await Self.pem(folder), to: "without.pem", mode: 0o600)
      #expect(try ClientCertificate(file: plain).topics == ["com.example.uid"])
    }
  }

  @Test func tlsTakesIt() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(try await Self.pem(folder), to: "all.pem", mode: 0o600)
      let certificate = try ClientCertificate(file: path)
      guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
        Issue.record("no memory")
        return
      }
      defer { unsafe SSL_CTX_free(context) }
      try unsafe certificate.use(in: context)
      let isThere = unsafe SSL_CTX_get0_certificate(context) != nil
      let fits = unsafe SSL_CTX_check_private_key(context) == 1
      #expect(isThere && fits)
    }
  }

  @Test func wrongFilesAreNamed() async throws {
    try await withTemporaryDirectory { folder in
      let whole = try await Self.pem(folder)
      let other = try await SigningKeyTests.pem()
      let text = String(decoding: whole, as: UTF8.self)
      let certificate = Array(text.split(separator: "-----BEGIN PRIVATE KEY-----")[0].utf8)
      let cases: [([UInt8], String)] = [
        (other, "it has no -----BEGIN CERTIFICATE-----: "),
        (certificate, "the key of its certificate is missing: "),
        (certificate + other, "its key belongs to another certificate: "),
        (
          Array(whole.dropFirst(200)) + Array("-----BEGIN CERTIFICATE-----".utf8),
          "its certificate or key is damaged: "
        ),
        (
          certificate
            + (try await SigningKeyTests.openssl(["pkcs8", "-topk8", "-passout", "pass:abcd"], other)),
          "its key has a password: write the key without it with openssl pkey -in FILE -out KEY, and put the certificate"
        ),
        (try await Self.expired(), "its certificate has expired: "),
      ]
      for (bytes, text) in cases {
        let path = try folder.write(bytes, to: "file.pem", mode: 0o600)
        let error = Self.error(path)
        #expect(
          error?.hasPrefix("the certificate file \(path) cannot be used: \(text)") == true,
          "\(error ?? "none")")
        Files.remove(path)
      }
    }
  }

  @Test(
    arguments: [
      [], [0x30], [0x30, 1], [0x31, 0], [0x30, 0, 0], [0x30, 2, 0x0C, 1], [0x30, 0x80],
      [0x30, 0x84, 0, 0, 0, 0],
      [0x30, 0x81, 3, 0x0C, 1, 0x61], [0x30, 3, 0x0C, 1, 0xFF], [0x30, 4, 0x1F, 0x81, 1, 0],
      [0x30, 0x83, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]]) func damagedTopicsAreNone(bytes: [UInt8])
  {
    #expect(CertificateTopics.read(bytes) == nil)
  }
}
