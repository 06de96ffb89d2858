import CCurl
@testable import Fetching
import Glibc
import Misbehaving
import Supporting
import TestSupport
import Testing

@testable import S3Storing
@testable import Storing

@Suite("Requests that fail", .timeLimit(.minutes(5)))
struct HTTPFailureTests {
  private let client = HTTPClient(certificateFile: nil)

  @Test("nothing listens") func refused() async throws {
    let port = freePort()
    let failure = await client.failure(
      of: HTTPRequest(url: ServiceURL(isSecure: false, host: "127.0.0.1", port: port)))
    #expect(
      failure
        == HTTPFailure(
          problem: "no connection to 127.0.0.1:\(port): Connection refused",
          advice: "check that the service runs there, and the network to it", mayTryAgain: true))
  }

  @Test("a name that cannot be looked up") func unknownName() async {
    // No name server is asked for a label of more than 63 letters.
    let name = String(repeating: "a", count: 64)
    let failure = await client.failure(of: HTTPRequest(url: ServiceURL(host: "\(name).example", port: 443)))
    #expect(
      failure
        == HTTPFailure(
          problem: "the name \(name).example was not found",
          advice: "check its spelling, and this machine's name servers", mayTryAgain: true))
  }

  /// What a service sends instead of a proper answer, whether it then resets the connection, and the
  /// resulting error.
  struct Broken: Sendable, CustomTestStringConvertible {
    let name: String
    let sent: String
    var resets = false
    let error: @Sendable (ServiceURL) -> HTTPFailure
    var testDescription: String { name }
  }

  private static let brokenAnswers = [
    Broken(name: "nothing", sent: "") { .cut($0, "closed the connection before it answered") },
    Broken(name: "reset", sent: "", resets: true) { .cut($0, "reset the connection before it answered") },
    Broken(name: "half a head", sent: "HTTP/1.1 200 OK\r\nX-Half: y") {
      .cut($0, "closed the connection in the middle of its answer")
    },
    Broken(name: "half a body", sent: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") {
      .cut($0, "closed the connection after 4 of 100 bytes of its answer")
    },
    Broken(name: "half a chunk", sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf") {
      .cut($0, "closed the connection after 4 bytes of its answer")
    },
    Broken(
      name: "half a long body",
      sent: "HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n\(String(repeating: "a", count: 80_000))"
    ) { .cut($0, "closed the connection after 80000 of 90000 bytes of its answer") },
    Broken(
      name: "long head",
      sent: "HTTP/1.1 200 OK\r\n\(String(repeating: "X-Field: 0123456789\r\n", count: 2_000))"
    ) { .headTooLong($0) },
    Broken(
      name: "long line", sent: "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "a", count: 300_000))"
    ) { .headTooLong($0) },
    Broken(
      name: "long trailers",
      sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        + String(repeating: "X-Field: 0123456789\r\n", count: 2_000)
    ) { .headTooLong($0) },
    Broken(name: "another protocol", sent: "220 mail.example ESMTP\r\n") { .notHTTP($0) },
    Broken(name: "no status", sent: "HTTP/1.1 OK\r\n\r\n") { .notHTTP($0) },
    Broken(name: "wrong chunks", sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n") {
      .notHTTP($0)
    },
  ]

  @Test("the texts name the server and what to do, and nothing of the path") func texts() {
    let url = ServiceURL(isSecure: false, host: "127.0.0.1", port: 9_000, target: "/path?secret=1")
    let address = "check that this is the address of the service"
    #expect(
      HTTPFailure.notHTTP(url)
        == HTTPFailure(problem: "127.0.0.1:9000 does not speak HTTP", advice: address, mayTryAgain: false))
    #expect(
      HTTPFailure.headTooLong(url)
        == HTTPFailure(
          problem: "127.0.0.1:9000 answers with more than 32 KiB of headers", advice: address,
          mayTryAgain: false))
    #expect(
      HTTPFailure.cut(url, "closed the connection")
        == HTTPFailure(
          problem: "127.0.0.1:9000 closed the connection",
          advice: "if this keeps happening, check the service's log", mayTryAgain: true))
  }

  @Test("what this machine lacks has its own advice") func lacking() {
    let url = ServiceURL(host: "a.example", port: 443)
    for (error, text, advice, mayTryAgain) in [
      (
        FetchError.tlsFailed(detail: "this system has no certificate authorities"),
        "this system has no certificate authorities", "check --ca-file, or install ca-certificates", false
      ),
      (
        .openFilesExhausted, "too many files and sockets are open",
        "allow more open files (ulimit -n, LimitNOFILE= in systemd)", true
      ),
      (
        .resourcesExhausted(detail: "no memory for a transfer"), "no memory for a transfer",
        "check the limits of this process", true
      ),
    ] {
      #expect(
        HTTPFailure.lacking(error, for: url)
          == HTTPFailure(
            problem: "no request to a.example could be made: \(text)", advice: advice,
            mayTryAgain: mayTryAgain))
    }
  }

  @Test("a socket that could not be opened counts only if there was no other one") func noSocket() throws {
    let url = ServiceURL(isSecure: false, host: "127.0.0.1", port: 1)
    let context = TransferContext(
      Connections(try SocketWatch()), certificateFile: nil, idleTime: .seconds(1))
    let transfer = try Transfer(Exchange(HTTPRequest(url: url)), in: context)
    transfer.noSocket = .openFilesExhausted
    #expect(transfer.failure(CURLE_COULDNT_CONNECT) == .lacking(.openFilesExhausted, for: url))
    #expect(transfer.failure(CURLE_GOT_NOTHING) == .cut(url, "closed the connection before it answered"))
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
      let isTaken = transfer.take(line: Array(line.utf8).span)
      #expect(isTaken)
    }
    #expect(try transfer.result(CURLE_OK).get().status == 200)
  }

  @Test("an answer that is not valid HTTP", arguments: brokenAnswers) func broken(_ row: Broken) async throws
  {
    try await withService(reply: { connection, _ in
      try await connection.send(row.sent)
      if row.resets { try await connection.reset() } else { try await connection.close() }
    }) { service in
      let failure = await client.failure(of: HTTPRequest(url: service.url()))
      #expect(failure == row.error(service.url()))
      // Data that libcurl has read from a closed connection must not reach a later request.
      #expect(service.questions.count == 1)
    }
  }

  @Test("random bytes") func garbage() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send((0...255).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
      try await connection.close()
    }) { service in
      let failure = await client.failure(of: HTTPRequest(url: service.url()))
      #expect(failure == .notHTTP(service.url()))
    }
  }

  @Test("a certificate that is not trusted", arguments: ["names", "authority", "end", "beginning"])
  func certificate(_ fault: String) async throws {
    try await withTemporaryDirectory { folder in
      let names = fault == "names" ? "DNS:elsewhere.example" : "IP:127.0.0.1"
      let certificate = try ServerCertificate(
        for: names, validFor: fault == "end" ? 0 : fault == "beginning" ? -86_400 : 86_400)
      let authority = folder.path(of: "authority.pem")
      try certificate.write(to: authority)
      let tls = try TLSServerContext(certificate, speaking: .http1)
      try await withService(tls: tls, reply: answered) { service in
        let (words, advice) =
          switch fault {
          case "names": ("is for other names", "use the name that it was made for")
          case "end": ("has expired", "renew it, or set this machine's clock")
          case "beginning": ("is not valid yet", "set this machine's clock")
          default:
            (
              "is not from an authority that this machine trusts",
              "if the authority is your own, name its file with --ca-file"
            )
          }
        let expected = HTTPFailure(
          problem: "the certificate of 127.0.0.1:\(service.port) \(words)", advice: advice,
          mayTryAgain: false)
        // The certificate expires almost at once, but is still valid for a moment.
        let isExpected = try await eventually {
          let client = HTTPClient(certificateFile: fault == "authority" ? nil : authority)
          return await client.failure(of: HTTPRequest(url: service.url())) == expected
        }
        #expect(isExpected)
      }
    }
  }

  @Test("a new authority counts once a service is not trusted") func replacedAuthority() async throws {
    try await withTemporaryDirectory { folder in
      let (authority, next) = (folder.path(of: "authority.pem"), folder.path(of: "next.pem"))
      try ServerCertificate(for: "IP:127.0.0.1").write(to: authority)
      let new = try ServerCertificate(for: "IP:127.0.0.1")
      try new.write(to: next)
      let client = HTTPClient(certificateFile: authority)
      try await withService(tls: TLSServerContext(new, speaking: .http1), reply: answered) { service in
        let request = HTTPRequest(url: service.url())
        #expect(await client.failure(of: request)?.problem.hasPrefix("the certificate of ") == true)
        #expect(unsafe rename(next, authority) == 0)
        #expect(await client.failure(of: request)?.problem.hasPrefix("the certificate of ") == true)
        let answer = try await client.send(request, within: .seconds(30))
        #expect(answer.status == 200)
      }
    }
  }

  @Test("no TLS on the other side") func noTLS() async throws {
    try await withRawService { _, visitor in
      try await visitor.connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
      await visitor.connection.waitForClose()
    } _: { service in
      var url = service.url()
      url.isSecure = true
      let failure = await client.failure(of: HTTPRequest(url: url))
      #expect(
        failure?.problem.hasPrefix("127.0.0.1:\(service.port) does not speak TLS 1.2 or later (") == true)
      #expect(failure?.mayTryAgain == false)
    }
  }

  @Test("a certificate file that is missing") func noAuthorities() async {
    let client = HTTPClient(certificateFile: "/nowhere/ca.pem")
    let failure = await client.failure(of: HTTPRequest(url: ServiceURL(host: "127.0.0.1", port: 1)))
    #expect(
      failure
        == HTTPFailure(
          problem: "no request to 127.0.0.1:1 could be made: /nowhere/ca.pem: No such file or directory",
          advice: "check --ca-file, or install ca-certificates", mayTryAgain: false))
  }

  @Test("a spool that is shorter than it was") func shortSpool() async throws {
    try await withSpooled(bytes: 100_000) { file in
      let stored = StoredFile(name: file.stored.name, size: 200_000)
      let longer = SpooledFile(descriptor: file.descriptor, stored: stored)
      try await withService(reply: answered) { service in
        let failure = await client.failure(
          of: HTTPRequest(method: "PUT", url: service.url(), body: .file(longer)))
        #expect(failure == .spoolUnreadable)
        #expect(service.questions.isEmpty)
      }
    }
  }

  @Test(
    "a request that cannot be sent as it is",
    arguments: [
      (
        HTTPRequest(url: ServiceURL(host: "a.example@b.example", port: 443)),
        "'a.example@b.example' is not the name or address of a host", "check the URLs of the services"
      ),
      (
        HTTPRequest(url: ServiceURL(host: "a.example", port: 443, target: "/a b")),
        "a request to a.example has a port, method or path that cannot be sent",
        "check the URLs of the services"
      ),
      (
        HTTPRequest(
          url: ServiceURL(host: "a.example", port: 443), headers: [HTTPField("Authorization", "x\r\n")]),
        "the value of Authorization for a.example has characters that cannot be sent",
        "check for a line break at the end of a key or token"
      ),
    ]) func unsendable(
      _ request: HTTPRequest, _ problem: String, _ advice: String
    ) async
  {
    #expect(
      await client.failure(of: request)
        == HTTPFailure(problem: problem, advice: advice, mayTryAgain: false))
  }
}
