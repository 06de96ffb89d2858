import Supporting
import Testing

@testable import S3Storing

@Suite("signing requests")
struct RequestSignerTests {
  private let signer = RequestSigner()
  private let url = ServiceURL(isSecure: false, host: "localhost", port: 9000, target: "/bucket/%CE%B1//./b")

  @Test("a second signature replaces the first")
  func again() throws {
    var request = HTTPRequest(method: "PUT", url: url, headers: [HTTPField("Content-Type", "image/png")])
    var temporary = Credentials.example
    temporary.sessionToken = "token"
    try sign(&request, with: temporary, at: 0)
    #expect(request.headers.map(\.name) == ["Content-Type"] + names("x-amz-security-token"))
    try sign(&request, with: .example, at: 86_400)
    #expect(request.headers.map(\.name) == ["Content-Type"] + names())
    #expect(request.headers[1].value == "19700102T000000Z")
    #expect(
      request.headers.last?.value.hasPrefix(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/19700102/auto/s3/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature="
      ) == true)
  }

  @Test("the host has its port, and the path of S3 is neither normalised nor escaped twice")
  func canonical() {
    let request = HTTPRequest(url: url, headers: [HTTPField("x-amz-meta-a", " 1 \t 2 ")])
    let canonical = CanonicalRequest(request, payloadSHA256: "x", isForS3: true)
    #expect(
      canonical.text == """
        GET
        /bucket/%CE%B1//./b

        host:localhost:9000
        x-amz-meta-a:1 2

        host;x-amz-meta-a
        x
        """)
    #expect(
      CanonicalRequest(request, payloadSHA256: "x", isForS3: false).text.contains("\n/bucket/%25CE%25B1/b\n"))
  }

  @Test(
    "queries are sorted by escaped name, then by value, and each name has a value",
    arguments: [
      ("", ""), ("uploads", "uploads="), ("b=2&a=1&b=1", "a=1&b=1&b=2"), ("a-b=1&a=2", "a=2&a-b=1"),
      ("a=b=c&%7E=%2f", "a=b%3Dc&~=%2F"), ("a=%zz", "a=%25zz"),
    ])
  func queries(_ sent: String, _ signed: String) {
    var url = url
    url.target = "/?\(sent)"
    let canonical = CanonicalRequest(HTTPRequest(url: url), payloadSHA256: "x", isForS3: true)
    #expect(canonical.text.split(separator: "\n", omittingEmptySubsequences: false)[2] == signed)
  }

  @Test("the kept key is used only for the same credentials, day, region and service")
  func cache() throws {
    let request = HTTPRequest(url: url)
    let other = Credentials(
      accessKey: Credentials.example.accessKey, secretKey: String(repeating: "s", count: 64))
    var signatures: [String] = []
    for _ in 0..<2 {
      for (credentials, day, region, service) in [
        (Credentials.example, 0, "a", "s3"), (other, 0, "a", "s3"), (other, 1, "a", "s3"),
        (other, 1, "b", "s3"),
        (other, 1, "b", "sqs"),
      ] {
        var request = request
        try signer.sign(
          &request, payloadSHA256: sha256(of: ""), with: credentials, region: region, service: service,
          at: Int64(day) * 86_400)
        signatures.append(request.headers.last?.value ?? "")
      }
    }
    #expect(Set(signatures).count == 5)
    #expect(signatures.prefix(5) == signatures.suffix(5))
  }

  private func sign(_ request: inout HTTPRequest, with credentials: Credentials, at seconds: Int64) throws {
    try signer.sign(&request, payloadSHA256: sha256(of: ""), with: credentials, region: "auto", at: seconds)
  }

  private func names(_ more: String...) -> [String] {
    ["x-amz-date", "x-amz-content-sha256"] + more + ["Authorization"]
  }
}

extension Credentials {
  /// The credentials in AWS's documentation.
  static let example = Credentials(
    accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
}

func sha256(of text: String) -> String {
  SHA256.digest(of: text.utf8.span).map { String(hexadecimal: $0.span) } ?? ""
}
