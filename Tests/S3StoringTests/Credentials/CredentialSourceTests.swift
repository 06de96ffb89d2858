import Glibc
import Misbehaving
import TestSupport
import Testing

@testable import S3Storing

/// The sources, each with a real server on loopback if it needs one.
@Suite("sources of credentials")
struct CredentialSourceTests {
  private static let account = S3Account(
    accessKey: "ASIAEXAMPLE", secretKey: "secret/+1", token: "session==", end: 4_102_444_800)
  private let found = Credentials(
    accessKey: "ASIAEXAMPLE", secretKey: "secret/+1", sessionToken: "session==", end: 4_102_444_800)

  @Test("the environment goes first, and an empty variable is as good as none")
  func environment() async throws {
    var keys = [
      "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "T",
      "AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere",
    ]
    #expect(try await fetch(keys) == Credentials(accessKey: "A", secretKey: "S", sessionToken: "T"))
    keys["AWS_SESSION_TOKEN"] = ""
    #expect(try await fetch(keys) == Credentials(accessKey: "A", secretKey: "S"))
  }

  @Test("STS gets the token of the file as it is now")
  func webIdentity() async throws {
    try await withTemporaryDirectory { folder in
      try await withCredentialServer(Self.account) { server in
        let file = try folder.write(Array("web-identity\n".utf8), to: "token")
        let environment = server.webIdentity(tokenFile: file)
        #expect(try await fetch(environment) == found)
        #expect(server.requests.first?.value(of: "Authorization") == nil)
        server.change { $0.webIdentity.token = "a+/=&b" }
        await #expect(
          throws: CredentialError.refused(
            .webIdentity, server: server.endpoint, status: 400, code: "InvalidIdentityToken")
        ) { try await fetch(environment) }
        try folder.write(Array("a+/=&b".utf8), to: "token")
        #expect(try await fetch(environment) == found)
      }
    }
  }

  @Test("STS is the one of the region and of its partition")
  func sts() throws {
    let environment = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "r"]
    for (more, host) in [
      ([:], "sts.cn-north-1.amazonaws.com.cn"), (["AWS_REGION": "us-west-2"], "sts.us-west-2.amazonaws.com"),
      (["AWS_DEFAULT_REGION": "eusc-de-east-1"], "sts.eusc-de-east-1.amazonaws.eu"),
      (["AWS_REGION": "us-iso-east-1"], "sts.us-iso-east-1.c2s.ic.gov"),
      (["AWS_REGION": "us-isob-east-1"], "sts.us-isob-east-1.sc2s.sgov.gov"),
      (["AWS_ENDPOINT_URL_STS": "https://sts.example"], "sts.example"),
    ] {
      let all = environment.merging(more) { $1 }
      let needs = CredentialChain.needs(environment: all, region: "cn-north-1")
      #expect(needs.files == ["/t"])
      #expect(needs.server == ServiceURL(host: host, port: 443))
    }
  }

  @Test("a bucket at Cloudflare or Google does not say which STS is asked")
  func auto() async throws {
    let environment = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "r"]
    #expect(CredentialChain.needs(environment: environment, region: "auto").server == nil)
    await #expect(throws: CredentialError.incomplete(.webIdentity, missing: "AWS_REGION")) {
      try await fetch(environment, region: "auto")
    }
  }

  @Test("a profile of the shared files")
  func sharedFiles() async throws {
    let keys = """
      # A comment
      [default]
      aws_access_key_id = A
      aws_secret_access_key=S/+= ; a comment
      [ work ]
      AWS_ACCESS_KEY_ID=A2\r
      aws_secret_access_key = S2\r
      aws_session_token = T2
      """
    let config = """
      [default]
      region = eu-west-1
      s3 =
        aws_access_key_id = nested
      [profile other]
      aws_access_key_id = A3
      aws_secret_access_key = S3
      [other]
      aws_access_key_id = A4
      """
    try await withTemporaryDirectory { folder in
      try #require(unsafe mkdir(folder.path(of: ".aws"), 0o700) == 0)
      let paths = [
        try folder.write(Array(keys.utf8), to: ".aws/credentials", mode: 0o600),
        try folder.write(Array(config.utf8), to: ".aws/config"),
      ]
      var home = ["HOME": folder.path]
      #expect(CredentialChain.needs(environment: home, region: "").files == paths)
      #expect(try await fetch(home) == Credentials(accessKey: "A", secretKey: "S/+="))
      home["AWS_DEFAULT_PROFILE"] = "other"
      #expect(try await fetch(home) == Credentials(accessKey: "A3", secretKey: "S3"))
      home["AWS_PROFILE"] = "work"
      #expect(try await fetch(home) == Credentials(accessKey: "A2", secretKey: "S2", sessionToken: "T2"))
      let named = ["HOME": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": paths[0]]
      #expect(try await fetch(named) == Credentials(accessKey: "A", secretKey: "S/+="))
    }
  }

  @Test("a container's service gets the token of the variable, or rather that of the file")
  func container() async throws {
    try await withTemporaryDirectory { folder in
      try await withCredentialServer(Self.account) { server in
        #expect(try await fetch(server.container) == found)
        var environment = server.container
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "Basic variable"
        server.change { $0.containerToken = "Basic variable" }
        #expect(try await fetch(environment) == found)
        server.change { $0.containerToken = "file" }
        let file = try folder.write(Array("file\n".utf8), to: "token")
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = file
        #expect(try await fetch(environment) == found)
        environment["HOME"] = folder.path
        #expect(
          CredentialChain.needs(environment: environment, region: "").files
            == ["credentials", "config"].map { folder.path(of: ".aws/\($0)") } + [file])
      }
    }
  }

  @Test("ECS gives a path, and EKS gives a URL")
  func containerServers() throws {
    for (name, value, server, target) in [
      ("RELATIVE", "/v2/credentials/1?a=b", "http://169.254.170.2", "/v2/credentials/1?a=b"),
      ("FULL", "http://169.254.170.23/v1/credentials", "http://169.254.170.23", "/v1/credentials"),
      ("FULL", "http://[fd00:ec2::23]/v1/credentials", "http://[fd00:ec2::23]", "/v1/credentials"),
      ("FULL", "http://localhost:81/x", "http://localhost:81", "/x"),
      ("FULL", "https://credentials.example", "https://credentials.example", "/"),
    ] {
      let environment = ["AWS_CONTAINER_CREDENTIALS_\(name)_URI": value]
      let needs = CredentialChain.needs(environment: environment, region: "")
      #expect(needs.server?.server == server)
      #expect(needs.server?.target == target)
    }
  }

  @Test("an instance is asked with a token of version 2, and only if nothing else is configured")
  func instance() async throws {
    try await withCredentialServer(Self.account) { server in
      let given = try await fetch(server.instance)
      #expect(given == found)
      #expect(server.requests.map(\.method) == ["PUT", "GET", "GET"])
      server.change { $0.role = nil }
      let refusal = CredentialError.refused(.instance, server: server.endpoint, status: 404, code: nil)
      await #expect(throws: refusal) { try await fetch(server.instance) }
      for error in [
        refusal, .refused(.instance, server: server.endpoint, status: 403, code: nil),
        .unusableAnswer(.instance, server: server.endpoint),
      ] {
        #expect(error.advice.hasPrefix("attach a role to the instance, or: set AWS_ACCESS_KEY_ID and "))
      }
      var disabled = server.instance
      disabled["AWS_EC2_METADATA_DISABLED"] = "TRUE"
      await #expect(throws: CredentialError.nowhere) { try await fetch(disabled) }
    }
    let mode = ["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"]
    for (environment, server) in [([:], "http://169.254.169.254"), (mode, "http://[fd00:ec2::254]")] {
      let needs = CredentialChain.needs(environment: environment, region: "")
      #expect(needs.server?.server == server)
    }
  }

  @Test("the files of sources without credentials are needed, too, because they are read each time")
  func needs() async throws {
    try await withTemporaryDirectory { folder in
      let files = ["credentials", "config"].map { folder.path(of: ".aws/\($0)") }
      let home = ["HOME": folder.path]
      #expect(CredentialChain.needs(environment: home, region: "").files == files)
      #expect(CredentialChain.needs(environment: home, region: "").server?.host == "169.254.169.254")
      try #require(unsafe mkdir(folder.path(of: ".aws"), 0o700) == 0)
      try folder.write(Array("[default]\nrole_arn = r".utf8), to: ".aws/config")
      #expect(CredentialChain.needs(environment: home, region: "").files == files)
      #expect(CredentialChain.needs(environment: home, region: "").server == nil)
      let keys = home.merging(["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"]) { $1 }
      #expect(CredentialChain.needs(environment: keys, region: "").files == [])
    }
  }

  @Test("credentials end by the clock of the service that gives them", arguments: [-7_200, 7_200])
  func clock(offset: Int64) async throws {
    let end = ServiceClock.now + 1_800
    let account = S3Account(accessKey: "A", secretKey: "S", end: end + offset)
    try await withCredentialServer(account) { server in
      server.change { $0.clockOffset = offset }
      for environment in [server.container, server.instance] {
        let given = try #require(try await fetch(environment).end)
        #expect(abs(given - end) <= 120)
      }
      let ended = S3Account(accessKey: "A", secretKey: "S", end: ServiceClock.now + offset - 300)
      server.change { $0.account = ended }
      await #expect(throws: CredentialError.ended(.container)) { try await fetch(server.container) }
    }
  }
}

/// Returns the credentials that the sources give now.
/// - Parameter isPatient: whether to wait longer than the sources do. On a busy machine, even a quick answer
///   takes seconds.
func fetch(
  _ environment: [String: String], region: String = "us-east-1", isPatient: Bool = true
) async throws -> Credentials {
  let client = HTTPClient(certificateFile: nil)
  let chain = CredentialChain(environment: environment, region: region) {
    (request, limit) throws(HTTPFailure) in
    try await client.send(request, within: isPatient ? .seconds(60) : limit)
  }
  return try await chain.current(now: ServiceClock.now)
}
