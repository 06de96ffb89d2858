import Misbehaving
import TestSupport
import Testing

/// S3's own examples (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
@Suite("Signatures as S3 verifies them")
struct S3SignatureTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let head: String
    let body: String
    let signature: String

    var testDescription: String { String(head.prefix { $0 != "\r" }) }
    /// The value of SignedHeaders.
    var names = "host;x-amz-content-sha256;x-amz-date"
  }

  static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  static let welcome = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
  static let account = S3Account(
    accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  /// 2013-05-24T00:00:00Z.
  static let time: Int64 = 1_369_353_600

  static let examples = [
    Example(
      head: "GET /test.txt HTTP/1.1\r\nRange: bytes=0-9", body: empty,
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
      names: "host;range;x-amz-content-sha256;x-amz-date"),
    Example(
      head: "PUT /test$file.text HTTP/1.1\r\nDate: Fri, 24 May 2013 00:00:00 GMT\r\n"
        + "x-amz-storage-class: REDUCED_REDUNDANCY", body: welcome,
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
      names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class"),
    Example(
      head: "GET /?lifecycle HTTP/1.1", body: empty,
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      head: "GET /?max-keys=2&prefix=J HTTP/1.1", body: empty,
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  static func request(
    _ example: Example, signature: String? = nil, key: String = "AKIAIOSFODNN7EXAMPLE",
    scope: String = "20130524/us-east-1/s3/aws4_request", more: String = ""
  ) throws -> Request {
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(key)/\(scope),SignedHeaders=\(example.names),"
      + "Signature=\(signature ?? example.signature)"
    return try #require(
      Request(
        head: "\(example.head)\r\nHost: examplebucket.s3.amazonaws.com\r\nx-amz-date: 20130524T000000Z\r\n"
          + "x-amz-content-sha256: \(example.body)\r\nAuthorization: \(authorization)\(more)"))
  }

  /// The error of S3, or nil if the request is accepted.
  static func refusal(
    of request: Request, body: String = empty, accounts: [S3Account] = [account],
    region: String = "us-east-1", at time: Int64 = time
  ) -> String? {
    do throws(S3Refusal) {
      try S3Signature.verify(request, bodySHA256: body, accounts: accounts, region: region, at: time)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("S3's own examples are accepted", arguments: examples)
  func accepts(_ example: Example) throws {
    let request = try Self.request(example)
    #expect(Self.refusal(of: request, body: example.body) == nil)
    for shift in [-900, 900] as [Int64] {
      #expect(Self.refusal(of: request, body: example.body, at: Self.time + shift) == nil)
    }
  }

  @Test("a request that differs in one respect is refused with S3's error", arguments: examples)
  func refuses(_ example: Example) throws {
    func refusal(
      _ request: Request, accounts: [S3Account] = [Self.account], region: String = "us-east-1",
      at time: Int64 = Self.time
    ) -> String? {
      Self.refusal(of: request, body: example.body, accounts: accounts, region: region, at: time)
    }
    let request = try Self.request(example)
    var other = request
    other.target += "x"
    #expect(refusal(other) == "SignatureDoesNotMatch")
    other = request
    other.method = "DELETE"
    #expect(refusal(other) == "SignatureDoesNotMatch")
    #expect(
      refusal(try Self.request(example, signature: String(repeating: "0", count: 64)))
        == "SignatureDoesNotMatch")
    #expect(
      refusal(request, accounts: [S3Account(accessKey: Self.account.accessKey, secretKey: "wrong")])
        == "SignatureDoesNotMatch")
    #expect(refusal(try Self.request(example, key: "AKIAOTHER")) == "InvalidAccessKeyId")
    #expect(refusal(request, region: "eu-central-1") == "AuthorizationHeaderMalformed")
    for scope in ["20130524/us-east-1/sqs/aws4_request", "20130525/us-east-1/s3/aws4_request"] {
      #expect(refusal(try Self.request(example, scope: scope)) == "AuthorizationHeaderMalformed")
    }
    for shift in [-901, 901] as [Int64] {
      #expect(refusal(request, at: Self.time + shift) == "RequestTimeTooSkewed")
    }
    #expect(refusal(try Self.request(example, more: "\r\nx-amz-acl: private")) == "AccessDenied")
    #expect(refusal(try Self.request(example, more: "\r\nContent-Type: image/png")) == "AccessDenied")
    #expect(refusal(try Self.request(example, more: "\r\nx-amz-security-token: t")) == "InvalidToken")
    var temporary = Self.account
    temporary.token = "t"
    #expect(refusal(request, accounts: [temporary]) == "InvalidToken")
    temporary.token = nil
    temporary.end = Self.time
    #expect(refusal(request, accounts: [temporary]) == "ExpiredToken")
    #expect(Self.refusal(of: request, body: "00") == "XAmzContentSHA256Mismatch")
  }
}
