package import Misbehaving
import Supporting

/// A key that S3 knows, and its owner's secret.
package struct S3Account: Equatable, Sendable {
  package var accessKey: String
  package var secretKey: String
  /// The token of temporary credentials.
  package var token: String?
  /// In seconds since 1970; nil if they do not end.
  package var end: Int64?

  package init(accessKey: String, secretKey: String, token: String? = nil, end: Int64? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.token = token
    self.end = end
  }
}

/// The signature of a request (AWS Signature Version 4), read to be verified. Written after
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, without the signer
/// that it judges.
package struct S3Signature {
  private let accessKey: String
  private let day: String
  private let region: String
  private let service: String
  private let signedNames: [String]
  private let signature: String

  /// - Parameter authorization: the value of the header.
  private init(_ authorization: String) throws(S3Refusal) {
    let algorithm = "AWS4-HMAC-SHA256 "
    guard authorization.hasPrefix(algorithm) else { throw .malformed("the algorithm is not known") }
    var parts: [String: String] = [:]
    for part in authorization.dropFirst(algorithm.count).split(separator: ",") {
      let sides = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1).map(String.init)
      guard sides.count == 2 else { throw .malformed("'\(part)' has no value") }
      parts[sides[0]] = sides[1]
    }
    guard let credential = parts["Credential"], let names = parts["SignedHeaders"],
      let signature = parts["Signature"], parts.count == 3
    else { throw .malformed("it needs Credential, SignedHeaders and Signature") }
    let scope = credential.split(separator: "/").map(String.init)
    guard scope.count == 5, scope[4] == "aws4_request" else { throw .malformed("the scope is not right") }
    (accessKey, day, region, service) = (scope[0], scope[1], scope[2], scope[3])
    signedNames = names.split(separator: ";").map(String.init)
    self.signature = signature
  }

  /// Verifies a request as S3 does, and is stricter in two respects: the body's digest must be signed, and
  /// so must `Content-Type`.
  /// - Parameters:
  ///   - digest: SHA-256 of the body, in hexadecimal.
  ///   - now: in seconds since 1970.
  package static func verify(
    _ request: Request, bodySHA256 digest: String, accounts: [S3Account], region: String,
    service: String = "s3",
    at now: Int64
  ) throws(S3Refusal) {
    guard let authorization = request.value(of: "Authorization") else { throw .accessDenied }
    let parts = try S3Signature(authorization)
    guard let account = accounts.first(where: { $0.accessKey == parts.accessKey }) else {
      throw .invalidAccessKeyID(parts.accessKey)
    }
    guard parts.service == service else {
      throw .malformed(#"incorrect service "\#(parts.service)". This endpoint belongs to "\#(service)"."#)
    }
    guard parts.region == region else { throw .wrongRegion(parts.region, expecting: region) }
    try parts.verifyToken(of: request, account, at: now)
    guard let date = request.value(of: "x-amz-date"), let time = ServiceClock.seconds(ofAMZDate: date) else {
      throw S3Refusal(403, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")
    }
    guard abs(time - now) <= 900 else { throw .requestTimeTooSkewed(time, server: now) }
    guard date.hasPrefix(parts.day) else { throw .malformed("the date is not the one of the request") }
    try parts.verifyNames(of: request)

    guard let given = request.value(of: "x-amz-content-sha256") else {
      throw S3Refusal(
        400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
    }
    let canonical = parts.canonicalRequest(request, digest: given)
    let text = [
      "AWS4-HMAC-SHA256", date, "\(parts.day)/\(region)/\(service)/aws4_request",
      sha256(Array(canonical.utf8)),
    ].joined(separator: "\n")
    var key = Array("AWS4\(account.secretKey)".utf8)
    for word in [parts.day, region, service, "aws4_request", text] { key = hmac(Array(word.utf8), key: key) }
    guard String(hexadecimal: key.span) == parts.signature else {
      throw .signatureDoesNotMatch(parts.accessKey, text, canonical)
    }
    guard given == digest else { throw .contentMismatch(given, digest) }
  }

  private func verifyToken(of request: Request, _ account: S3Account, at now: Int64) throws(S3Refusal) {
    let token = request.value(of: "x-amz-security-token")
    guard token == account.token else { throw .invalidToken(token ?? "") }
    if let end = account.end, now >= end { throw .expiredToken(token ?? "") }
  }

  private func verifyNames(of request: Request) throws(S3Refusal) {
    guard signedNames == signedNames.sorted(), signedNames.contains("host") else {
      throw .malformed("SignedHeaders is not sorted, or lacks host")
    }
    let present = request.fields.map { $0.name.lowercased() }
    for name in present where name.hasPrefix("x-amz-") || name == "content-type" {
      guard signedNames.contains(name) else {
        throw S3Refusal(
          403, "AccessDenied", "There were headers present in the request which were not signed",
          elements: [Response.Field("HeadersNotSigned", name)])
      }
    }
    for name in signedNames where !present.contains(name) {
      throw S3Refusal(403, "AccessDenied", "A header that was signed is not in the request: \(name)")
    }
  }

  private func canonicalRequest(_ request: Request, digest: String) -> String {
    let sides = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    // S3 encodes the path once and does not normalise it.
    let path = PercentEncoding.encode(PercentEncoding.decode(sides[0]), except: "/")
    let pairs = (sides.count > 1 ? sides[1] : "").split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = sides.count > 1 ? sides[1] : ""
      return [sides[0], value].map { PercentEncoding.encode(PercentEncoding.decode($0)) }
    }
    let query = pairs.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.joined(separator: "=") }
    let headers = signedNames.map { name in
      let values = request.fields.filter { $0.name.lowercased() == name }.map {
        $0.value.split(separator: " ").joined(separator: " ")
      }
      return "\(name):\(values.joined(separator: ","))\n"
    }
    return [
      request.method, path, query.joined(separator: "&"), headers.joined(),
      signedNames.joined(separator: ";"), digest,
    ].joined(separator: "\n")
  }

  /// In hexadecimal.
  package static func sha256(_ bytes: [UInt8]) -> String {
    let digest = SHA256.digest(of: bytes.span) ?? []
    return String(hexadecimal: digest.span)
  }

  /// HMAC-SHA256 (RFC 2104).
  private static func hmac(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? SHA256.digest(of: key.span) ?? [] : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    let inner = block.map { $0 ^ 0x36 } + text
    let outer = block.map { $0 ^ 0x5c } + (SHA256.digest(of: inner.span) ?? [])
    return SHA256.digest(of: outer.span) ?? []
  }
}

/// RFC 3986 section 2.1.
enum PercentEncoding {
  static func decode(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%"), let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        rest = rest.dropFirst(2)
        bytes.append(value)
      } else {
        bytes.append(first)
      }
    }
    return bytes
  }

  static func encode(_ bytes: [UInt8], except kept: String = "") -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(kept)".utf8)
    return bytes.map { byte in
      if plain.contains(byte) { return String(UnicodeScalar(byte)) }
      return "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
    }.joined()
  }
}
