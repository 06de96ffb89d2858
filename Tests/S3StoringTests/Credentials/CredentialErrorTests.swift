import Fetching
import Glibc
import TestSupport
import Testing

@testable import S3Storing

@Suite("no credentials")
struct CredentialErrorTests {
  private static let account = S3Account(
    accessKey: "A", secretKey: "SECRET", token: "TOKEN", end: 4_102_444_800)

  @Test(
    "what is configured wrongly is an error before anything is sent",
    arguments: [
      (["AWS_ACCESS_KEY_ID": "A"], .incomplete(.environment, missing: "AWS_SECRET_ACCESS_KEY")),
      (["AWS_SECRET_ACCESS_KEY": "SECRET"], .incomplete(.environment, missing: "AWS_ACCESS_KEY_ID")),
      (
        ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "SECRET\r\nX: y"],
        .unusableVariable(
          .environment, name: "AWS_SECRET_ACCESS_KEY",
          rule: "it has only visible ASCII characters, without spaces and line breaks")
      ), (["AWS_WEB_IDENTITY_TOKEN_FILE": "/t"], .incomplete(.webIdentity, missing: "AWS_ROLE_ARN")),
      (
        [
          "AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "r",
          "AWS_ENDPOINT_URL_STS": "http://sts.example",
        ],
        .unusableVariable(
          .webIdentity, name: "AWS_ENDPOINT_URL_STS",
          rule: "it starts with https://, unless STS is on this machine")
      ),
      (
        ["AWS_PROFILE": "work", "HOME": "/nowhere"],
        .noProfile("work", paths: ["/nowhere/.aws/credentials", "/nowhere/.aws/config"])
      ),
      (
        ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.169.254/x"],
        .unusableVariable(
          .container, name: "AWS_CONTAINER_CREDENTIALS_FULL_URI",
          rule:
            "it starts with https://, or its host is this machine or one of 169.254.170.2, 169.254.170.23, fd00:ec2::23"
        )
      ),
      (
        ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@evil.example/x"],
        .unusableVariable(
          .container, name: "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", rule: "it starts with /")
      ),
      (
        [
          "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost",
          "AWS_CONTAINER_AUTHORIZATION_TOKEN": "SECRET\n",
        ],
        .unusableVariable(
          .container, name: "AWS_CONTAINER_AUTHORIZATION_TOKEN",
          rule: "it has only ASCII characters, without line breaks")
      ),
      (
        ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "169.254.169.254"],
        .unusableVariable(
          .instance, name: "AWS_EC2_METADATA_SERVICE_ENDPOINT", rule: "it starts with https:// or http://")
      ), (["AWS_EC2_METADATA_DISABLED": "true"], .nowhere),
    ] as [([String: String], CredentialError)])
  func configuration(_ environment: [String: String], _ error: CredentialError) async {
    #expect(CredentialChain.needs(environment: environment, region: "").server == nil)
    await #expect(throws: error) { try await fetch(environment) }
    #expect(!error.description.contains("SECRET\n"))
    #expect(!error.description.contains("SECRET\r"))
  }

  @Test(
    "profiles that cannot be used",
    arguments: [
      (
        "role_arn = r\naws_access_key_id = A\naws_secret_access_key = SECRET",
        .unsupportedProfile("p", key: "role_arn")
      ),
      ("credential_process = /bin/x", .unsupportedProfile("p", key: "credential_process")),
      ("sso_session = x", .unsupportedProfile("p", key: "sso_session")),
      ("aws_access_key_id = A", .incomplete(.sharedFiles, missing: "aws_secret_access_key")),
      (
        "aws_access_key_id = A\naws_secret_access_key = SECRET\u{1}",
        .unusableFile(.sharedFiles, path: "", rule: "its keys have only visible ASCII characters")
      ),
    ] as [(String, CredentialError)])
  func profiles(_ lines: String, _ expected: CredentialError) async throws {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array("[p]\n\(lines)\n".utf8), to: "credentials")
      let environment = [
        "AWS_PROFILE": "p", "AWS_SHARED_CREDENTIALS_FILE": file, "AWS_CONFIG_FILE": "/nowhere",
      ]
      var error = expected
      if case .unusableFile(let place, _, let rule) = expected {
        error = .unusableFile(place, path: file, rule: rule)
      }
      await #expect(throws: error) { try await fetch(environment) }
      #expect(!error.description.contains("SECRET"))
    }
  }

  @Test("token files that are missing, empty, too long, or no token")
  func tokens() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "token")
      let environment = ["AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ROLE_ARN": "r"]
      let missing = CredentialError.unreadableFile(.webIdentity, path: path, code: ENOENT)
      await #expect(throws: missing) { try await fetch(environment) }
      let rule = "it has one token of visible ASCII characters"
      for text in ["", "\n", "a b", "a\nX: y", "\u{1}"] {
        try folder.write(Array(text.utf8), to: "token")
        await #expect(throws: CredentialError.unusableFile(.webIdentity, path: path, rule: rule)) {
          try await fetch(environment)
        }
      }
      for bytes in [[UInt8](repeating: 0x61, count: 65_537), [0xFF]] {
        try folder.write(bytes, to: "token")
        let rule = "it has at most 65536 bytes of UTF-8"
        await #expect(throws: CredentialError.unusableFile(.webIdentity, path: path, rule: rule)) {
          try await fetch(environment)
        }
      }
    }
  }

  private static let tooManySpaces = String(repeating: " ", count: HTTPClient.maximumAnswer)

  @Test(
    "answers that are none, or are cut",
    arguments: [
      "", "{", "[]", "<html>SECRET</html>", #"{"AccessKeyId":"A"}"#,
      #"{"AccessKeyId":"A","SecretAccessKey":"SECRET\r\nX: y"}"#,
      #"{"AccessKeyId":1,"SecretAccessKey":"SECRET"}"#,
      #"{"AccessKeyId":"A","SecretAccessKey":"SECRET","Expiration":"soon"}"#,
      #"{"AccessKeyId":"A","SecretAccessKey":"SECRET","Expiration":1}"#,
      "<AccessKeyId>A</AccessKeyId><SecretAccessKey>SECRET</SecretAccessKey>",
      "<AccessKeyId>A</AccessKeyId><SecretAccessKey>SECRET</SecretAccessKey><Expiration>2100-01-01T00:00:00Z</Exp",
      "<AccessKeyId><b/></AccessKeyId><SecretAccessKey>S</SecretAccessKey><Expiration>2100-01-01T00:00:00Z</Expiration>",
      // These answers would be usable if they were not so long.
      #"{"AccessKeyId":"A","SecretAccessKey":"SECRET"}"# + tooManySpaces,
      "<AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><Expiration>2100-01-01T00:00:00Z</Expiration>"
        + tooManySpaces,
    ])
  func answers(_ body: String) async throws {
    try await withTemporaryDirectory { folder in
      try await withCredentialServer(Self.account) { server in
        server.change { $0.answer = ServiceAnswer(200, [], Array(body.utf8)) }
        let token = try folder.write(Array("web-identity".utf8), to: "token")
        for (environment, place) in [
          (server.container, CredentialPlace.container), (server.webIdentity(tokenFile: token), .webIdentity),
        ] {
          let error = CredentialError.unusableAnswer(place, server: server.endpoint)
          await #expect(throws: error) { try await fetch(environment) }
        }
      }
    }
  }

  @Test(
    "refusals tell the service's word, and nothing that could be a secret",
    arguments: [
      (#"{"code":"AccessDenied","message":"SECRET"}"#, "AccessDenied"), (#"{"code":"a SECRET"}"#, nil),
      ("<Error><Code>ExpiredTokenException</Code></Error>", "ExpiredTokenException"),
      ("<Code>\(String(repeating: "a", count: 65))</Code>", nil), ("SECRET", nil),
    ] as [(String, String?)])
  func refusals(_ body: String, _ code: String?) async throws {
    try await withCredentialServer(Self.account) { server in
      for (status, mayTryAgain) in [(403, false), (301, false), (503, true), (429, true)] {
        server.change { $0.answer = ServiceAnswer(status, [], Array(body.utf8)) }
        let error = CredentialError.refused(.container, server: server.endpoint, status: status, code: code)
        await #expect(throws: error) { try await fetch(server.container) }
        #expect(error.mayTryAgain == (mayTryAgain || code == "ExpiredTokenException"))
      }
    }
  }

  @Test("what STS refuses only for a while may be tried again")
  func passing() {
    for (code, mayTryAgain) in [
      ("IDPCommunicationError", true), ("Throttling", true), ("ThrottlingException", true),
      ("ExpiredTokenException", true), ("InvalidIdentityToken", false), (nil, false),
    ] as [(String?, Bool)] {
      let error = CredentialError.refused(.webIdentity, server: "", status: 400, code: code)
      #expect(error.mayTryAgain == mayTryAgain)
    }
    let lasting = HTTPFailure(problem: "its certificate has expired", advice: "renew it", mayTryAgain: false)
    #expect(!CredentialError.noAnswer(.webIdentity, server: "", lasting).mayTryAgain)
  }

  @Test("a metadata service that is silent, or not there, is reported with what to do instead")
  func silence() async throws {
    try await withCredentialServer(Self.account) { server in
      server.change { $0.isSilent = true }
      let error = await #expect(throws: CredentialError.self) {
        try await fetch(server.instance, isPatient: false)
      }
      guard case .noAnswer(.instance, server.endpoint, let failure)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.description.contains(failure.problem) == true)
      #expect(error?.description.contains("--http-put-response-hop-limit 2") == true)
      #expect(error?.mayTryAgain == true)
    }
    let dead = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"]
    let error = await #expect(throws: CredentialError.self) { try await fetch(dead) }
    #expect(error?.advice.contains("AWS_ACCESS_KEY_ID") == true)
  }

  @Test("what is wrong on this machine is not blamed on a service, which it might be for ever")
  func own() {
    let url = ServiceURL(host: "sts.example", port: 443)
    let failure = HTTPFailure.lacking(.tlsFailed(detail: "/ca.pem: Permission denied"), for: url)
    let error = CredentialError.noAnswer(.webIdentity, server: url.server, failure)
    #expect(
      error.description == "STS (https://sts.example) gave no credentials: "
        + "no request to sts.example could be made: /ca.pem: Permission denied: "
        + "check --ca-file, or install ca-certificates")
  }

  @Test("a file that the sandbox may block is reported with what to do") func blocked() {
    let error = CredentialError.unreadableFile(.sharedFiles, path: "/root/aws", code: EACCES)
    #expect(
      error.description == "/root/aws cannot be read: Permission denied: "
        + "let the user of this process read it; if it or its directory was replaced, restart push-enricher")
    let missing = CredentialError.unreadableFile(.webIdentity, path: "/token", code: ENOENT)
    #expect(
      missing.description == "/token cannot be read: No such file or directory: "
        + "let the user of this process read it, and check its path")
  }

  @Test("expired credentials do not count")
  func ended() async throws {
    try await withCredentialServer(S3Account(accessKey: "A", secretKey: "S", end: 0)) { server in
      let error = CredentialError.ended(.container)
      await #expect(throws: error) { try await fetch(server.container) }
    }
  }

  @Test("credentials show no secret")
  func description() {
    let credentials = Credentials(accessKey: "A", secretKey: "SECRET", sessionToken: "TOKEN")
    #expect("\(credentials) \(String(reflecting: [credentials]))" == "credentials [credentials]")
  }
}
