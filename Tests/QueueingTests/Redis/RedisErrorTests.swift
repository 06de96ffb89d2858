#if Redis
  import BuiltInQueueing
  import Glibc
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  /// What Redis refuses, or cannot do at the moment. Each error says what to do.
  @Suite("Redis: errors", .timeLimit(.minutes(5)))
  struct RedisErrorTests {
    private func refusal(of url: String, caFile: String? = nil) -> QueueError? {
      do throws(QueueError) {
        _ = try Queues(certificateFile: caFile).open(url, defaultQueue: "incoming")
        return nil
      } catch {
        return error
      }
    }

    @Test("nothing listens on the port")
    func nobody() async throws {
      let port = freePort()
      #expect(
        refusal(of: "redis://127.0.0.1:\(port)")
          == .unavailable(
            "Redis at 127.0.0.1:\(port) cannot be reached: see whether it runs there, on that port"))
      #expect(
        refusal(of: "redis://nowhere.invalid/a")
          == .unavailable(
            "Redis at nowhere.invalid:6379 cannot be found: no name server knows nowhere.invalid; check the name"
          ))
    }

    @Test("another server listens on the port")
    func nginx() async throws {
      try await withNginx(serving: Fixtures.media) { nginx in
        #expect(
          refusal(of: "redis://127.0.0.1:\(nginx.httpPort)")
            == .refused(
              "Redis at 127.0.0.1:\(nginx.httpPort) does not speak the Redis protocol: check host and port")
        )
      }
    }

    @Test("the server sends more answers than were requested")
    func chatty() async throws {
      let digest = "$40\r\n" + String(repeating: "a", count: 40) + "\r\n"
      let scripts = RedisScript.all.count
      try await withServer { heard in
        if heard.contains("EXEC\r\n") { return String(repeating: ":0\r\n", count: 100) }
        return heard.matches(of: /LOAD\r\n/).count == scripts
          ? String(repeating: digest, count: scripts) : nil
      } _: { port in
        let name = "Redis at 127.0.0.1:\(port)"
        #expect(
          refusal(of: "redis://127.0.0.1:\(port)")
            == .refused("\(name) does not speak the Redis protocol: check host and port"))
      }
    }

    @Test("a password is wrong or missing")
    func passwords() async throws {
      var options = RedisServer.Options()
      options.password = "s3cret"
      options.lines = ["user reader on >pw ~* +@all", "user mute on >pw ~other +@all"]
      try await withRedisServer(options) { server in
        let host = "127.0.0.1"
        #expect(refusal(of: server.url("a")) == nil)
        #expect(refusal(of: server.url("a", host: host, user: "default:s3cret@")) == nil)
        for user in [":wrong@", "default:wrong@", "nobody:s3cret@"] {
          #expect(
            refusal(of: server.url("a", host: host, user: user))
              == .refused("\(server.name) does not take this user name and password"))
        }
        #expect(
          refusal(of: server.url("a", host: host))
            == .refused(
              "\(server.name) wants a password: write it as redis://USER:PASSWORD@HOST, or name a password-file"
            ))
        let file = try server.folder.write(Array("s3cret\n".utf8), to: "password", mode: 0o600)
        #expect(refusal(of: server.url("a", host: host) + "&password-file=\(file)") == nil)
        #expect(unsafe chmod(file, 0o604) == 0)
        #expect(
          refusal(of: server.url("a", host: host) + "&password-file=\(file)")
            == .refused(
              "the password file \(file) is refused: users other than its owner have access (mode 604): chmod 600 \(file), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext"
            ))
        #expect(unsafe chmod(file, 0o400) == 0)
        #expect(
          refusal(of: server.url("a", host: host) + "&password-file=\(file)x")
            == .refused("the password file \(file)x cannot be read: No such file or directory"))
        try Files.write([], to: file)
        #expect(
          refusal(of: server.url("a", host: host) + "&password-file=\(file)")
            == .refused("the password file \(file) is empty"))
        #expect(
          refusal(of: server.url("a", host: host, user: "mute:pw@"))
            == .refused(
              "\(server.name) does not let this user use the key a: grant it with ACL SETUSER mute ~a"))
        let rights =
          "grant it with ACL SETUSER reader +@stream +@scripting +@transaction +type +auth ~a ~a-too-long"
        let queue = try Queues().open(server.url("a", host: host, user: "reader:pw@"), defaultQueue: "x")
        try await server.command(["ACL", "SETUSER", "reader", "-xadd"])
        #expect(
          await failure { () async throws(QueueError) in try await queue.publish([1]) }
            == .refused(
              "\(server.name) does not let this user do it (NOPERM this user has no permissions to run the 'xadd' command): \(rights)"
            ))
      }
      try await withRedisServer { server in
        #expect(
          refusal(of: server.url("a", host: "127.0.0.1", user: ":s3cret@"))
            == .refused("\(server.name) wants no password: leave it out"))
      }
    }

    /// If Redis has no connection left, it says so before it has received anything, and closes the
    /// connection.
    @Test("no connection is left")
    func unwelcome() async throws {
      try await withRedisServer { server in
        let queue = try Queues().open(server.url("a"), defaultQueue: "x")
        try await server.command(["CONFIG", "SET", "maxclients", "1"])
        // The connection of the last command may still be counted.
        #expect(
          try await eventually { try await queue.contents().isEmpty && refusal(of: server.url("b")) != nil })
        for _ in 0..<20 {
          #expect(
            refusal(of: server.url("b"))
              == .unavailable(
                "\(server.name) has no connection left: raise its maxclients, or find out what holds them"))
        }
        #expect(try await queue.contents() == [])
      }
    }

    @Test("TLS works with an authority that is trusted, and not without one")
    func tls() async throws {
      var options = RedisServer.Options()
      options.isSecure = true
      options.password = "s3cret"
      try await withRedisServer(options) { server in
        let ca = try #require(server.caFile)
        let queue = try Queues(certificateFile: ca).open(server.url("a"), defaultQueue: "x")
        try await queue.publish(0..<3)
        #expect(try await queue.ids() == ["m0", "m1", "m2"])
        guard case .unavailable(let text) = refusal(of: server.url("a")) else {
          Issue.record("its certificate must not be trusted")
          return
        }
        #expect(text.hasPrefix("\(server.name) has a certificate that is not trusted ("))
        #expect(text.hasSuffix("): --ca-file adds an authority of your own"))
        // Without TLS, the connection fails. The error may be any.
        let plain = server.url("a").replacing("rediss:", with: "redis:")
        #expect(refusal(of: plain) != nil)
        #expect(
          refusal(of: server.url("a"), caFile: "\(ca)x")
            == .refused(
              "\(ca)x has no certificate that can be read: --ca-file wants a file of certificates in PEM form"
            ))
      }
      try await withRedisServer { server in
        let secure = server.url("a").replacing("redis:", with: "rediss:")
        #expect(
          refusal(of: secure).map { "\($0)" }?.hasSuffix("see whether it speaks TLS on that port") == true)
      }
    }

    @Test("TLS trusts the system's bundle beside the file, and the file alone without a bundle")
    func bundle() async throws {
      var options = RedisServer.Options()
      options.isSecure = true
      try await withRedisServer(options) { server in
        let ca = try #require(server.caFile)
        try await withNginx(serving: Fixtures.media) { other in
          let url = try #require(try queueURL(server.url("a"), defaultQueue: "x") as? RedisURL)
          func canOpen(_ file: String?, _ bundle: String?) -> Bool {
            let trust = RedisTrust(adding: file, to: bundle)
            do throws(QueueError) {
              _ = try RedisConnection.open(url.server, trusting: trust, replyTimeout: .seconds(5))
              return true
            } catch {
              return false
            }
          }
          #expect(canOpen(other.caFile, ca))
          #expect(canOpen(ca, other.caFile))
          #expect(canOpen(ca, "\(ca)x"))
          #expect(!canOpen(other.caFile, "\(ca)x"))
          #expect(!canOpen(nil, nil))
        }
      }
    }

    @Test("a key is not a stream")
    func wrongType() async throws {
      try await withRedisServer { server in
        try await server.command(["SET", "text", "value"])
        let expected = QueueError.refused("the key text of \(server.name) is not a stream: name another key")
        #expect(refusal(of: server.url("text")) == expected)
        // A key that gets another type later. The other publication must not happen then, either.
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let targets = try ["first", "later"].map { try queues.open(server.url($0), defaultQueue: "x") }
        try await source.publish([1])
        let delivery = try await source.next()
        func refuses(_ targets: [any Queue], because key: String) async {
          let failure = await failure { () async throws(QueueError) in
            try await source.settle(
              delivery, publishing: targets.map { Publication(message(2), into: $0) })
          }
          #expect(failure == .refused("the key \(key) of \(server.name) is not a stream: name another key"))
        }
        try await server.command(["SET", "later", "value"])
        await refuses(targets, because: "later")
        await refuses([targets[1]], because: "later")
        #expect(try await targets[0].contents() == [])
        try await server.command(["SET", "first", "value"])
        await refuses(targets, because: "first")
        #expect(try await source.contents() == ["m1"])
      }
    }
  }
#endif
