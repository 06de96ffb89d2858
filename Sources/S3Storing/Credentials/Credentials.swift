/// What requests are signed with.
struct Credentials: Equatable, Sendable {
  let accessKey: String
  let secretKey: String
  /// The header `x-amz-security-token` of temporary credentials.
  var sessionToken: String?
  /// In seconds since 1970; nil if they do not end.
  var end: Int64?
}
