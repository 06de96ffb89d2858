internal import Supporting

/// The service beside a task of ECS or a pod of EKS
/// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html).
struct ContainerCredentials: CredentialSource {
  static let place = CredentialPlace.container
  /// The hosts of ECS and EKS. Any other host must be on this machine or use TLS, because the answer contains
  /// the secret key.
  private static let hosts = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]
  private static let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  private static let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
  private static let tokenFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

  let server: ServiceURL?
  private let url: ServiceURL
  private let token, tokenFile: String?

  static func files(_ environment: [String: String]) -> [String] {
    [environment[tokenFile]].compactMap(\.self)
  }

  init?(_ environment: [String: String], region: String) throws(CredentialError) {
    let name = environment[Self.relative] == nil ? Self.full : Self.relative
    guard let text = environment[name] else { return nil }
    do throws(ServiceURLFault) {
      url = try Self.url(text, isRelative: name == Self.relative)
    } catch { throw .unusableVariable(Self.place, name: name, rule: error.rule) }
    server = url
    tokenFile = environment[Self.tokenFile]
    let tokenName = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    token = environment[tokenName]
    if let token, !token.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
      throw .unusableVariable(
        Self.place, name: tokenName, rule: "it has only ASCII characters, without line breaks")
    }
  }

  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials {
    var request = HTTPRequest(url: url)
    var token = token
    if let tokenFile { token = try await means.token(in: tokenFile, for: Self.place) }
    if let token { request.headers = [HTTPField("Authorization", token)] }
    let exchange = CredentialExchange(place: Self.place, means: means, limit: .seconds(2))
    return try await exchange.credentials(request, Credentials.init(json:))
  }

  private static func url(_ text: String, isRelative: Bool) throws(ServiceURLFault) -> ServiceURL {
    if isRelative {
      guard text.hasPrefix("/") else { throw ServiceURLFault(rule: "it starts with /") }
      return try ServiceURL(parsing: "http://\(hosts[0])\(text)")
    }
    let url = try ServiceURL(parsing: text)
    guard url.isSecure || url.isLoopback || hosts.contains(url.host) else {
      throw ServiceURLFault(
        rule:
          "it starts with https://, or its host is this machine or one of \(hosts.joined(separator: ", "))")
    }
    return url
  }
}
