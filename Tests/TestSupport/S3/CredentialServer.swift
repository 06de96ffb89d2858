package import Misbehaving
import Synchronization

/// The services that give credentials to programs on AWS, on loopback: the instance metadata service
/// (IMDSv2), the one for containers, and STS. Made by `withCredentialServer`.
package final class CredentialServer: Sendable {
  /// What its operator can change while it runs.
  package struct Settings: Sendable {
    /// The credentials that it gives. An account without a token gets an empty one.
    package var account: S3Account
    /// The role of the instance; nil if it has none.
    package var role: String? = "push-enricher"
    /// The value of `Authorization` that containers have to send; nil for none.
    package var containerToken: String?
    /// The token and the role that STS accepts.
    package var webIdentity = (token: "web-identity", role: "arn:aws:iam::123456789012:role/push-enricher")
    /// Whether it reads requests without answering them, like IMDS beyond its hop limit.
    package var isSilent = false
    /// Seconds by which its clock is ahead.
    package var clockOffset: Int64 = 0
    /// Answers everything like this; nil for proper answers.
    package var answer: ServiceAnswer?

    package init(_ account: S3Account) { self.account = account }
  }

  private struct State {
    var settings: Settings
    var requests: [Request] = []
    var bodies: [String] = []
  }

  private static let imdsToken = "AQAEAHVzZS10aGlz"
  private let state: Mutex<State>
  private let listener: Listener

  fileprivate init(on listener: Listener, _ account: S3Account) {
    self.listener = listener
    state = Mutex(State(settings: Settings(account)))
  }

  package var endpoint: String { "http://127.0.0.1:\(listener.port)" }
  package func change(_ body: (inout Settings) -> Void) { state.withLock { body(&$0.settings) } }
  /// The requests so far. `bodies` has the bodies of those to STS.
  package var requests: [Request] { state.withLock { $0.requests } }
  package var bodies: [String] { state.withLock { $0.bodies } }

  /// Variables that lead to IMDS.
  package var instance: [String: String] { ["AWS_EC2_METADATA_SERVICE_ENDPOINT": endpoint] }
  /// Variables that lead to the service for containers.
  package var container: [String: String] {
    ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(endpoint)/v1/credentials"]
  }
  /// Variables that lead to STS.
  /// - Parameter tokenFile: has to hold the token of `webIdentity`.
  package func webIdentity(tokenFile: String) -> [String: String] {
    [
      "AWS_ENDPOINT_URL_STS": endpoint, "AWS_WEB_IDENTITY_TOKEN_FILE": tokenFile,
      "AWS_ROLE_ARN": state.withLock { $0.settings.webIdentity.role },
    ]
  }

  fileprivate func converse(_ guest: Guest) async throws {
    let visitor = Visitor(guest)
    while let request = try await visitor.nextHead(), let body = try await visitor.body(of: request) {
      let text = String(decoding: body, as: UTF8.self)
      let settings = state.withLock { state in
        state.requests.append(request)
        if !body.isEmpty { state.bodies.append(text) }
        return state.settings
      }
      if settings.isSilent { return await visitor.connection.waitForClose() }
      let answer = settings.answer ?? Self.answer(to: request, text, settings)
      try await visitor.connection.send(
        answer.bytes(to: request.method, at: ServiceClock.now + settings.clockOffset))
    }
  }

  private static func answer(to request: Request, _ body: String, _ settings: Settings) -> ServiceAnswer {
    let path = String(request.path)
    if path == "/latest/api/token" {
      // A forwarded request is refused, because it may come through a web server that is misused as a proxy.
      guard request.method == "PUT", request.value(of: "X-Forwarded-For") == nil,
        let seconds = request.value(of: "X-aws-ec2-metadata-token-ttl-seconds").flatMap({ Int($0) }),
        1...21_600 ~= seconds
      else { return ServiceAnswer(400) }
      return ServiceAnswer(imdsToken, as: "text/plain")
    }
    if path.hasPrefix("/latest/meta-data/iam/security-credentials") {
      guard request.value(of: "X-aws-ec2-metadata-token") == imdsToken else { return ServiceAnswer(401) }
      guard let role = settings.role else { return ServiceAnswer(404) }
      if path.hasSuffix("/security-credentials/") { return ServiceAnswer(role, as: "text/plain") }
      guard path.hasSuffix("/security-credentials/\(role)") else { return ServiceAnswer(404) }
      return json(settings.account, [("Code", "Success"), ("Type", "AWS-HMAC")])
    }
    if path == "/v1/credentials" {
      guard request.value(of: "Authorization") == settings.containerToken else { return ServiceAnswer(401) }
      return json(settings.account, [("RoleArn", settings.webIdentity.role)])
    }
    if request.method == "POST", path == "/" { return assume(body, settings) }
    return ServiceAnswer(404)
  }

  private static func json(_ account: S3Account, _ more: [(String, String)]) -> ServiceAnswer {
    var pairs =
      more + [
        ("AccessKeyId", account.accessKey), ("SecretAccessKey", account.secretKey),
        ("Token", account.token ?? ""),
      ]
    if let end = account.end { pairs.append(("Expiration", ServiceClock.timestamp(end))) }
    let text = pairs.map { #""\#($0)" : "\#($1)""# }.joined(separator: ",\n  ")
    return ServiceAnswer("{\n  \(text)\n}", as: "application/json")
  }

  /// AssumeRoleWithWebIdentity
  /// (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html).
  private static func assume(_ body: String, _ settings: Settings) -> ServiceAnswer {
    var form: [String: String] = [:]
    for pair in body.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1).map {
        String(decoding: PercentEncoding.decode($0), as: UTF8.self)
      }
      form[sides[0]] = sides.count > 1 ? sides[1] : ""
    }
    guard form["Action"] == "AssumeRoleWithWebIdentity", form["Version"] == "2011-06-15",
      form["RoleSessionName"]?.isEmpty == false
    else { return refusal("ValidationError", "The request is not AssumeRoleWithWebIdentity", 400) }
    guard form["WebIdentityToken"] == settings.webIdentity.token else {
      return refusal(
        "InvalidIdentityToken", "Couldn't retrieve verification key from your identity provider", 400)
    }
    guard form["RoleArn"] == settings.webIdentity.role else {
      return refusal("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403)
    }
    let account = settings.account
    let elements = [
      ("AccessKeyId", account.accessKey), ("SecretAccessKey", account.secretKey),
      ("SessionToken", account.token ?? ""),
      ("Expiration", ServiceClock.timestamp(account.end ?? ServiceClock.now + 3_600)),
    ]
    let xml = elements.map { "      <\($0)>\(S3Refusal.escape($1))</\($0)>\n" }.joined()
    return ServiceAnswer(
      """
      <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult>
          <Credentials>
      \(xml)    </Credentials>
        </AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>
      """, as: "text/xml")
  }

  private static func refusal(_ code: String, _ message: String, _ status: Int) -> ServiceAnswer {
    ServiceAnswer(
      """
      <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>
      </ErrorResponse>
      """, as: "text/xml", status: status)
  }
}

/// Runs `body` with services that give `account`, then stops them.
/// - Throws: the errors of `body`, or an error from NIO if no port is free.
package func withCredentialServer<Result: Sendable>(
  _ account: S3Account, _ body: (CredentialServer) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: "127.0.0.1", port: 0, tls: nil)
  let server = CredentialServer(on: listener, account)
  return try await listener.accept(server.converse) { try await body(server) }
}
