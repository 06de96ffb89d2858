internal import Supporting
internal import Synchronization

/// Signs requests with AWS Signature Version 4
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
final class RequestSigner: Sendable {
  /// The last key. A signature takes 3 µs, and a new key would take 7 µs more.
  private struct Key {
    let secret, scope: String
    let bytes: [UInt8]
  }

  private let lastKey = Mutex<Key?>(nil)

  /// Adds `x-amz-date`, `Authorization`, and for temporary credentials `x-amz-security-token`; for S3 also
  /// `x-amz-content-sha256`. Replaces those of an earlier signature, so that a request can be sent again.
  /// Signs every header field that the request has, and `Host`.
  /// - Parameters:
  ///   - payloadSHA256: the SHA-256 of the body, in lower-case hexadecimal digits.
  ///   - seconds: the time since 1970 by the server's clock. The server refuses requests that are
  ///     15 minutes off.
  /// - Throws: if OpenSSL has no memory.
  func sign(
    _ request: inout HTTPRequest, payloadSHA256: String, with credentials: Credentials, region: String,
    service: String = "s3", at seconds: Int64
  ) throws(HTTPFailure) {
    let time = WallClock.text("%Y%m%dT%H%M%SZ", at: Int(seconds))
    let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
    let own = ["authorization", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]
    request.headers.removeAll { own.contains($0.name.lowercased()) }
    request.headers.append(HTTPField("x-amz-date", time))
    if service == "s3" { request.headers.append(HTTPField("x-amz-content-sha256", payloadSHA256)) }
    if let token = credentials.sessionToken {
      request.headers.append(HTTPField("x-amz-security-token", token))
    }
    let canonical = CanonicalRequest(request, payloadSHA256: payloadSHA256, isForS3: service == "s3")
    guard let digest = SHA256.digest(of: canonical.text.utf8.span),
      let key = key(secret: credentials.secretKey, scope: scope),
      let signature = SHA256.hmac(
        of: "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(String(hexadecimal: digest.span))", key: key)
    else {
      throw HTTPFailure(
        problem: "OpenSSL could not sign the request", advice: "check the memory of this machine",
        mayTryAgain: true)
    }
    let parts = [
      "Credential=\(credentials.accessKey)/\(scope)", "SignedHeaders=\(canonical.signedHeaders)",
      "Signature=\(String(hexadecimal: signature.span))",
    ]
    let authorization = "AWS4-HMAC-SHA256 \(parts.joined(separator: ", "))"
    request.headers.append(HTTPField("Authorization", authorization))
  }

  /// The key for a day, a region and a service.
  private func key(secret: String, scope: String) -> [UInt8]? {
    if let last = lastKey.withLock({ $0 }), last.secret == secret, last.scope == scope { return last.bytes }
    var key: [UInt8]? = Array("AWS4\(secret)".utf8)
    for part in scope.split(separator: "/") { key = key.flatMap { SHA256.hmac(of: String(part), key: $0) } }
    if let key { lastKey.withLock { $0 = Key(secret: secret, scope: scope, bytes: key) } }
    return key
  }
}
