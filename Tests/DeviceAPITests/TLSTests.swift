import DeviceAPI
import Serving
import TestSupport
import Testing

@Suite("TLS of the device API", .timeLimit(.minutes(5)))
struct TLSTests {
  @Test("curl verifies the certificate and gets its answers; connections stay open") func curl() async throws
  {
    try await withAPI(tls: true) { site in
      let file = site.folder.path(of: "site.pem")
      let body =
        #"{"app":"com.example.mail","device":"6F1C7B0E-0000-4000-8000-000000000001","e":7,"last":40,"count":3,"seen":1}"#
      let options = [
        "--cacert", file, "-d", body, "-H", "Authorization: Bearer \(site.ticket(.known))", "-v",
      ]
      for version in [["--tls-max", "1.2"], ["--tlsv1.3"]] {
        let answer = try await site.curl("/v1/missed", options + version, scheme: "https")
        #expect(answer.status == 202 && answer.body.hasPrefix(#"{"resending":3,"#), "\(answer.error)")
        #expect(answer.error.contains("ALPN: server accepted http/1.1"))
      }
      // Sends both requests over one connection.
      let url = "https://localhost:\(site.port)/v1/missed"
      let twice = try await site.curl("/v1/missed", options + [url], scheme: "https")
      #expect(twice.error.contains("Re-using existing connection"), "\(twice.error)")
      #expect(twice.description.split(separator: "HTTP/1.1 202").count == 2)
    }
  }

  @Test(
    "clients without TLS, with an old one, or with other protocols only are refused",
    arguments: [
      "-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-alpn h2", "-tls1_2 -cipher AES128-GCM-SHA256",
      "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256",
    ])
  func refused(options: String) async throws {
    try await withAPI(tls: true) { site in
      let run = try await Command("bash").run([
        "-c", "openssl s_client -connect 127.0.0.1:\(site.port) \(options) </dev/null 2>&1",
      ])
      #expect(run.output.contains("alert"), "\(run.output)")
      #expect(run.output.contains("Cipher is (NONE)"), "\(run.output)")
      let plain = try await site.curl("/v1/missed", ["-d", "{}"])
      #expect(plain.status == nil)
      #expect(try await site.curl("/v1/missed", ["-k"], scheme: "https").status == 405)
    }
  }

  @Test("the end of a connection is announced; sessions are resumed") func end() async throws {
    let program = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[2])
      context.maximum_version = ssl.TLSVersion.TLSv1_2
      session = None
      for _ in range(2):
          raw = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
          # Raises an error at the end if there is no close_notify.
          tls = context.wrap_socket(raw, server_hostname='localhost', suppress_ragged_eofs=False, session=session)
          tls.sendall(b'GET /none HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n')
          answer = b''
          while piece := tls.recv(1000): answer += piece
          session = tls.session
          print(answer[:12], tls.session_reused)
      """
    try await withAPI(tls: true) { site in
      let output = try await site.python(program, site.folder.path(of: "site.pem"))
      #expect(output == "b'HTTP/1.1 404' False\nb'HTTP/1.1 404' True\n")
    }
  }

  @Test("new files are used for new connections; if they are wrong, the old ones stay") func reload()
    async throws
  {
    let notes = Notes()
    try await withAPI(tls: true, { settings in settings.warn = { notes.add($0) } }) { site in
      func subject() async throws -> String {
        let run = try await Command("bash").run([
          "-c",
          "openssl s_client -connect 127.0.0.1:\(site.port) </dev/null 2>/dev/null | openssl x509 -noout -subject",
        ])
        return run.output
      }
      #expect(try await subject() == "subject=CN = site\n")
      try await makeCertificate("new", in: site.folder)
      func move(_ ending: String) async throws {
        try await Command("mv").runSuccessfully([
          site.folder.path(of: "new.\(ending)"), site.folder.path(of: "site.\(ending)"),
        ])
      }
      // First the one file and then the other, as tools do it.
      try await move("pem")
      try await Task.sleep(for: .milliseconds(1_200))
      #expect(try await subject() == "subject=CN = site\n")
      try await move("key")
      #expect(try await eventually { try await subject() == "subject=CN = new\n" })
      #expect(notes.all == [])
      try await Command("chmod").runSuccessfully(["644", site.folder.path(of: "site.key")])
      #expect(
        try await eventually {
          _ = try await subject()
          return !notes.all.isEmpty
        })
      #expect(notes.all.count == 1 && notes.all[0].contains("chmod 600"), "\(notes.all)")
      #expect(try await subject() == "subject=CN = new\n")
    }
  }

  @Test("a client that asks for new keys all the time does no harm") func keys() async throws {
    // `K` makes s_client send a KeyUpdate that asks for one in return (RFC 8446 section 4.6.3).
    try await withAPI(tls: true) { site in
      let run = try await Command("bash").run([
        "-c",
        "(for _ in {1..3000}; do echo K; done; sleep 1) | timeout 50 openssl s_client -connect 127.0.0.1:\(site.port) >/dev/null 2>&1; echo $?",
      ])
      #expect(run.output != "124\n")
      #expect(try await site.curl("/v1/missed", ["-k"], scheme: "https").status == 405)
    }
  }

  @Test("files that cannot be used are refused at the start, with what is wrong") func wrong() async throws {
    try await withTemporaryDirectory { folder in
      try await makeCertificate("a", in: folder)
      try await makeCertificate("b", in: folder)
      let (certificate, key, other) = (
        folder.path(of: "a.pem"), folder.path(of: "a.key"), folder.path(of: "b.key")
      )
      let nothing = try folder.write([], to: "empty", mode: 0o600)
      let open = try folder.write(Files.read(key), to: "open", mode: 0o644)
      try await Command("openssl").runSuccessfully([
        "pkey", "-in", key, "-out", folder.path(of: "locked"), "-aes256", "-passout", "pass:secret",
      ])
      let locked = folder.path(of: "locked")
      let unreadable =
        "has no key that can be read: give it in PEM form and without a password, as openssl pkey -in FILE -out NEW writes it"
      for (certificate, key, text) in [
        (
          nothing, key,
          "the file \(nothing) has no certificate that can be read: give it in PEM form, followed by its chain"
        ),
        (certificate, nothing, "the file \(nothing) \(unreadable)"),
        (certificate, locked, "the file \(locked) \(unreadable)"),
        (certificate, other, "the key in \(other) is not that of the certificate in \(certificate)"),
        (
          certificate, folder.path(of: "none"),
          "the key file \(folder.path(of: "none")) cannot be read: No such file or directory"
        ),
        (
          certificate, open,
          "the key file \(open) is refused: users other than its owner have access (mode 644): chmod 600 \(open), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext"
        ),
      ] {
        #expect(throws: ServingError.certificateUnusable(text)) {
          try TLSCertificate(certificate: certificate, key: key)
        }
      }
    }
  }

  @Test("without TLS, only a loopback address is served; a key needs a certificate") func settings() throws {
    let (everywhere, machine) = (try Endpoint("0.0.0.0:8443"), try Endpoint("[::1]:8443"))
    #expect(throws: DeviceAPIError.unprotected(everywhere)) { try DeviceAPISettings(at: everywhere) }
    #expect(throws: DeviceAPIError.certificateMissing) { try DeviceAPISettings(at: machine, keyFile: "/k") }
    #expect(
      "\(DeviceAPIError.unprotected(everywhere))"
        == "the device API is not served without TLS at 0.0.0.0:8443, which others can reach: add --device-api-certificate and --device-api-key, or serve it at a loopback address like 127.0.0.1:8443 behind a proxy with TLS"
    )
    let plain = try DeviceAPISettings(at: machine).needs
    #expect(plain.listenPort == 8_443 && plain.replaceableFiles == [])
    let one = try DeviceAPISettings(at: everywhere, certificateFile: "/c").needs
    #expect(one.replaceableFiles == ["/c"])
    let two = try DeviceAPISettings(at: everywhere, certificateFile: "/c", keyFile: "/k").needs
    #expect(two.replaceableFiles == ["/c", "/k"])
  }
}
