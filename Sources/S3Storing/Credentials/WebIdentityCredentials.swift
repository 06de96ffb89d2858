internal import Supporting

/// A role for the token of a service account, as in Kubernetes on AWS (IRSA)
/// (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html).
struct WebIdentityCredentials: CredentialSource {
  static let place = CredentialPlace.webIdentity

  private static let tokenFile = "AWS_WEB_IDENTITY_TOKEN_FILE"

  let server: ServiceURL?
  private let url: ServiceURL
  private let tokenFile, role, session: String

  static func files(_ environment: [String: String]) -> [String] {
    [environment[tokenFile]].compactMap(\.self)
  }

  init?(_ environment: [String: String], region: String) throws(CredentialError) {
    guard let tokenFile = environment[Self.tokenFile] else { return nil }
    guard let role = environment["AWS_ROLE_ARN"] else {
      throw .incomplete(Self.place, missing: "AWS_ROLE_ARN")
    }
    (self.tokenFile, self.role) = (tokenFile, role)
    session = environment["AWS_ROLE_SESSION_NAME"] ?? "push-enricher"
    url = try Self.url(environment, region)
    server = url
  }

  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials {
    let token = try await means.token(in: tokenFile, for: Self.place)
    let form = [
      ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
      ("RoleSessionName", session), ("WebIdentityToken", token),
    ]
    let body = form.map { "\($0.0)=\($0.1.utf8.percentEncoded())" }.joined(separator: "&")
    let type = HTTPField("Content-Type", "application/x-www-form-urlencoded")
    let request = HTTPRequest(method: "POST", url: url, headers: [type], body: .bytes(Array(body.utf8)))
    let exchange = CredentialExchange(place: Self.place, means: means, limit: .seconds(5))
    return try await exchange.credentials(request) { body in
      let xml = XMLText(body)
      guard let end = xml["Expiration"] else { return nil }
      return Credentials(
        checkedKey: xml["AccessKeyId"], secret: xml["SecretAccessKey"], token: xml["SessionToken"], end: end)
    }
  }

  /// AWS's own STS in this region, or the one of `AWS_ENDPOINT_URL_STS`.
  private static func url(
    _ environment: [String: String], _ region: String
  ) throws(CredentialError) -> ServiceURL {
    let name = "AWS_ENDPOINT_URL_STS"
    guard let text = environment[name] else {
      let region = environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? region
      // This is the region of buckets at Cloudflare and Google. STS belongs to AWS.
      if region == "auto" { throw .incomplete(place, missing: "AWS_REGION") }
      return AWSHost.url(of: "sts", in: region)
    }
    do throws(ServiceURLFault) {
      let url = try ServiceURL(parsing: text)
      // Whoever has the token has the role.
      guard url.isSecure || url.isLoopback else {
        throw ServiceURLFault(rule: "it starts with https://, unless STS is on this machine")
      }
      return url
    } catch { throw .unusableVariable(place, name: name, rule: error.rule) }
  }
}
