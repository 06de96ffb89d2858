internal import Storing

/// A row of the table that says what an answer means. The first row that matches counts.
struct S3ErrorRow: Sendable {
  /// Codes of S3, and of stores that speak its protocol.
  let codes: Set<String>
  /// Statuses that match if no row has the code.
  let statuses: Set<Int>
  let treatment: S3Error.Treatment
  /// What the bucket did, as a predicate.
  let words: String
  let advice: String
  let extent: StoreError.Extent

  private init(
    _ codes: Set<String>, statuses: Set<Int> = [], _ treatment: S3Error.Treatment,
    _ words: String, _ advice: String, _ extent: StoreError.Extent
  ) {
    (self.codes, self.statuses, self.treatment) = (codes, statuses, treatment)
    (self.words, self.advice, self.extent) = (words, advice, extent)
  }

  /// Whether another key may help.
  var isAboutKey: Bool {
    treatment == .once(.credentials) || !codes.isDisjoint(with: ["AccessDenied", "SignatureDoesNotMatch"])
  }

  static func of(_ refusal: S3Error) -> S3ErrorRow {
    if refusal.status / 100 == 2 { return success }
    // An answer to HEAD has no code.
    let status = refusal.code == nil && refusal.region != nil && refusal.status == 400 ? 301 : refusal.status
    return rows.first { row in refusal.code.map { row.codes.contains($0) } ?? false }
      ?? rows.first { $0.statuses.contains(status) } ?? other
  }

  private static let rows = [
    S3ErrorRow(
      ["RequestTimeTooSkewed"], .once(.clock), "does not accept the time of this machine",
      "set its clock, with NTP", .forNow),
    S3ErrorRow(
      ["ExpiredToken", "ExpiredTokenException", "InvalidToken", "InvalidTokenId", "TokenRefreshRequired"],
      .once(.credentials), "says that the session token has expired or is not valid",
      "renew the credentials, or check what gives them to this machine", .lasting),
    S3ErrorRow(
      [
        "PermanentRedirect", "TemporaryRedirect", "Redirect", "AuthorizationHeaderMalformed",
        "IllegalLocationConstraintException", "InvalidRegion",
      ], statuses: [301, 302, 303, 307, 308], .once(.region), "is in another region, or at another host",
      "name the region in --store (?region=eu-central-1), or the endpoint that the bucket has", .lasting),
    S3ErrorRow(
      ["SlowDown", "ServiceUnavailable", "Busy", "RequestLimitExceeded", "TooManyRequests", "Throttling"],
      statuses: [503, 429], .again, "asks for fewer requests",
      "wait, or raise the limits of the store; more prefixes or fewer workers help, too", .forNow),
    S3ErrorRow(
      ["RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch"], statuses: [408], .again,
      "did not get the whole object", "check the network, and a proxy in front of the store", .forNow),
    S3ErrorRow(
      ["OperationAborted", "ConditionalRequestConflict"], statuses: [409], .again,
      "was changing the same object for somebody else", "send it again", .oneFile),
    S3ErrorRow(
      ["QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "StorageFull"],
      statuses: [507],
      .never, "is full", "free space, or raise the quota", .forNow),
    S3ErrorRow(
      ["InternalError"], statuses: [500, 502, 504, 520, 521, 522, 523, 524], .again, "has a problem",
      "check the store, and what is in front of it", .forNow),
    S3ErrorRow(
      // A file of keys may have been replaced.
      ["InvalidAccessKeyId", "InvalidAccessKey"], .once(.credentials), "does not know the access key",
      "check the key, and that it is one for this endpoint", .lasting),
    S3ErrorRow(
      ["SignatureDoesNotMatch"], .never, "says that the signature is wrong",
      "check the secret key; if it is right, a proxy in front of the store changes Host or other headers",
      .lasting),
    S3ErrorRow(
      ["NoSuchBucket"], .never, "does not exist", "create it, or name another with --store", .lasting),
    S3ErrorRow(
      ["InvalidBucketName"], .never, "cannot exist: its name is not a valid bucket name",
      "name another with --store", .lasting),
    S3ErrorRow(
      ["EntityTooLarge"], statuses: [413], .never, "takes no objects of this size",
      "raise its limit, or send smaller files; --limits sets the accepted sizes", .oneFile),
    S3ErrorRow(
      ["AllAccessDisabled", "AccountProblem"], .never, "is blocked by its provider",
      "ask the provider of the account", .lasting),
    S3ErrorRow(
      ["AccessDenied"], statuses: [401, 403], .never, "denies writing",
      "check the name of the bucket, and give the key the rights s3:PutObject and s3:GetObject on the objects of --store",
      .lasting),
    S3ErrorRow(
      [], statuses: [404, 405, 501], .never,
      "was not found: the endpoint does not speak S3, or does not have this bucket",
      "check the bucket and the endpoint in --store", .lasting),
  ]

  /// An answer with a success status that does not come from an object store, but for example from
  /// a web server that answers every request.
  private static let success = S3ErrorRow(
    [], .never, "does not answer like an object store", "check that the endpoint in --store speaks S3",
    .lasting)

  private static let other = S3ErrorRow(
    [], .never, "did not take the object", "check that the endpoint in --store speaks S3", .forNow)
}
