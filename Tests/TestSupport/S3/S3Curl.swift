/// The `curl` command as a client of S3. It signs requests with neither the project's signer nor that of
/// `S3Server`.
package struct S3Curl: Sendable {
  package var endpoint: String
  package var account: S3Account
  package var region = "eu-central-1"

  package init(
    _ endpoint: String,
    as account: S3Account = S3Account(accessKey: "AKIATEST", secretKey: "secret+of/the=tests")
  ) {
    self.endpoint = endpoint
    self.account = account
  }

  /// Sends a request: PUT with a body, GET without one, unless the options say otherwise.
  /// - Parameters:
  ///   - path: without the slash at its start, as it is sent.
  ///   - options: more options of curl, which come last.
  /// - Returns: the answer's body, then the status on a line of its own.
  package func ask(_ path: String, body: String? = nil, _ options: [String] = []) async throws -> Run {
    // curl 7.88 signs this digest, but leaves it to its user to compute it.
    let digest = "x-amz-content-sha256: \(S3Signature.sha256(Array((body ?? "").utf8)))"
    let sending = body.map { ["-X", "PUT", "--data-binary", $0, "-H", "Content-Type: image/png"] } ?? []
    return try await Command("curl").run(
      ["-q", "-sS", "--noproxy", "*", "--max-time", "20", "--aws-sigv4", "aws:amz:\(region):s3"]
        + ["--user", "\(account.accessKey):\(account.secretKey)", "-H", digest, "-w", "\n%{http_code}"]
        + sending + options + ["\(endpoint)/\(path)"])
  }
}
