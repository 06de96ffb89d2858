internal import Supporting

/// The metadata service of EC2, version 2
/// (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html). It is asked if
/// nothing else is configured.
struct InstanceCredentials: CredentialSource {
  static let place = CredentialPlace.instance
  private static let roles = "/latest/meta-data/iam/security-credentials/"

  private let url: ServiceURL

  var server: ServiceURL? { url }

  init?(_ environment: [String: String], region: String) throws(CredentialError) {
    if environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() == "true" { return nil }
    let name = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
    let isIPv6 = environment["\(name)_MODE"]?.lowercased() == "ipv6"
    let text = environment[name] ?? (isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254")
    do throws(ServiceURLFault) { url = try ServiceURL(parsing: text) } catch {
      throw .unusableVariable(Self.place, name: name, rule: error.rule)
    }
  }

  /// Waits only a second for each answer, because the service is silent beyond its hop limit, which is 1 by
  /// default.
  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials {
    let exchange = CredentialExchange(place: Self.place, means: means, limit: .seconds(1))
    let life = HTTPField("X-aws-ec2-metadata-token-ttl-seconds", "60")
    let token = try await word(exchange, "/latest/api/token", life, method: "PUT")
    let proof = HTTPField("X-aws-ec2-metadata-token", token)
    let role = try await word(exchange, Self.roles, proof)
    let path = Self.roles + role.utf8.percentEncoded()
    return try await exchange.credentials(request(path, proof), Credentials.init(json:))
  }

  private func request(_ path: String, _ field: HTTPField, method: String = "GET") -> HTTPRequest {
    var url = url
    url.target = path
    return HTTPRequest(method: method, url: url, headers: [field])
  }

  /// The first line of an answer. An instance has one role.
  private func word(
    _ exchange: CredentialExchange, _ path: String, _ field: HTTPField, method: String = "GET"
  ) async throws(CredentialError) -> String {
    let body = try await exchange.ask(request(path, field, method: method)).body
    let lines = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let first = lines.first, Credentials.isHeaderText(String(first)) else {
      throw .unusableAnswer(Self.place, server: url.server)
    }
    return String(first)
  }
}
