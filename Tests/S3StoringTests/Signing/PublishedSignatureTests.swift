import Foundation
import TestSupport
import Testing

@testable import S3Storing

@Suite("published signatures")
struct PublishedSignatureTests {
  /// A case of AWS's suite for version 4.
  struct Case: Decodable, CustomTestStringConvertible {
    let name, request, canonicalRequest, stringToSign, authorization: String

    var testDescription: String { name }

    static let all: [Case] = {
      let path = "\(Fixtures.vectors)/signatures/aws4_testsuite.json"
      return (try? JSONDecoder().decode([Case].self, from: Data(Files.read(path)))) ?? []
    }()

    /// Parses the request, and joins values that are broken into lines.
    var parsed: (request: HTTPRequest, body: String) {
      let parts = request.components(separatedBy: "\n\n")
      let lines = parts[0].replacing("\n ", with: " ").split(separator: "\n")
      let target = lines[0].drop { $0 != " " }.dropFirst().dropLast(" HTTP/1.1".count)
      var fields = lines.dropFirst().map { line in
        let name = line.prefix { $0 != ":" }
        return HTTPField(String(name), String(line.dropFirst(name.count + 1)))
      }
      let host = fields.first { $0.name == "Host" }?.value ?? ""
      fields.removeAll { $0.name == "Host" }
      let url = ServiceURL(host: host, port: 443, target: String(target))
      let method = String(lines[0].prefix { $0 != " " })
      return (HTTPRequest(method: method, url: url, headers: fields), parts.count > 1 ? parts[1] : "")
    }

    var token: String? {
      let lines = canonicalRequest.split(separator: "\n")
      return lines.first { $0.hasPrefix("x-amz-security-token:") }.map { String($0.dropFirst(21)) }
    }
  }

  @Test("all 34 of AWS's suite", arguments: Case.all)
  func suite(_ one: Case) throws {
    var (request, body) = one.parsed
    let credentials = Credentials(
      accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: one.token
    )
    try RequestSigner().sign(
      &request, payloadSHA256: sha256(of: body), with: credentials, region: "us-east-1", service: "service",
      at: 1_440_938_160)
    #expect(request.headers.last == HTTPField("Authorization", one.authorization))
    request.headers.removeLast()
    let canonical = CanonicalRequest(request, payloadSHA256: sha256(of: body), isForS3: false)
    #expect(canonical.text == one.canonicalRequest)
    #expect(one.stringToSign.hasSuffix(sha256(of: canonical.text)))
  }

  @Test("none of AWS's suite is missing") func count() { #expect(Case.all.count == 34) }

  /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  @Test(
    "S3's own examples",
    arguments: [
      ("GET", "/test.txt", "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
      (
        "PUT", "/test$file.text", "Welcome to Amazon S3.",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ), ("GET", "/?lifecycle", "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      (
        "GET", "/?max-keys=2&prefix=J", "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
      // The same parameters, spelled differently.
      (
        "GET", "/?prefix=%4a&max-keys=2", "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
      (
        "PUT", "/test%24file.%74ext", "Welcome to Amazon S3.",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
    ])
  func s3(_ method: String, _ target: String, _ body: String, _ signature: String) throws {
    let url = ServiceURL(host: "examplebucket.s3.amazonaws.com", port: 443, target: target)
    var request = HTTPRequest(method: method, url: url)
    if target == "/test.txt" { request.headers = [HTTPField("Range", "bytes=0-9")] }
    if method == "PUT" {
      request.headers = [
        HTTPField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
        HTTPField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
      ]
    }
    try RequestSigner().sign(
      &request, payloadSHA256: sha256(of: body), with: .example, region: "us-east-1", at: 1_369_353_600)
    #expect(request.headers.last?.value.hasSuffix("Signature=\(signature)") == true)
  }
}
