#if RabbitMQ
  import Misbehaving
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// Errors are reported when a queue is opened.
  @Suite("RabbitMQ: what is wrong", .timeLimit(.minutes(5)))
  struct RabbitMQErrorTests {
    /// The error of opening a queue.
    private func failure(
      opening url: (RabbitMQServer) -> String, certificateFile: (RabbitMQServer) -> String? = { _ in nil }
    ) async throws -> (QueueError?, RabbitMQServer) {
      let server = try await RabbitMQServer.shared
      do throws(QueueError) {
        let url = try RabbitMQURL(url(server), defaultQueue: "incoming")
        _ = try RabbitMQQueue(url, in: Queues(certificateFile: certificateFile(server)))
        return (nil, server)
      } catch {
        return (error, server)
      }
    }

    @Test("a wrong password and an unknown user are refused")
    func login() async throws {
      for user in ["guest:wrong", "nobody:guest", "guest"] {
        let (failure, server) = try await failure {
          $0.newURL().replacing("amqp://", with: "amqp://\(user)@")
        }
        let name = user.split(separator: ":").first ?? ""
        #expect(
          failure
            == .refused("\(server.name) does not let the user \(name) in: check the name and the password"))
      }
    }

    @Test("an unknown virtual host is refused")
    func virtualHost() async throws {
      let (failure, server) = try await failure { $0.newURL().replacing("/?queue", with: "/nowhere?queue") }
      #expect(
        failure
          == .refused(
            "\(server.name) does not let the user guest into the virtual host nowhere: vhost nowhere not found; check its name and the rights of the user; ?queue=NAME names a queue"
          ))
    }

    @Test("a virtual host that has no connection left may have some later")
    func connectionLimit() async throws {
      let host = "v\(UInt64.random(in: 0...UInt64.max))"
      try await RabbitMQServer.shared.control(["add_vhost", host])
      try await RabbitMQServer.shared.control(["set_permissions", "-p", host, "guest", ".*", ".*", ".*"])
      try await RabbitMQServer.shared.control(["set_vhost_limits", "-p", host, #"{"max-connections": 0}"#])
      let (failure, server) = try await failure { $0.newURL().replacing("/?queue", with: "/\(host)?queue") }
      #expect(
        failure
          == .unavailable(
            "\(server.name) has no connection left: access to vhost '\(host)' refused for user 'guest': connection limit (0) is reached; raise the limit, or find out what holds them"
          ))
      try await server.control(["delete_vhost", host])
    }

    @Test("messages that the broker takes back after half an hour do not end the worker")
    func takenBack() async throws {
      let server = try RabbitMQURL("amqp://localhost", defaultQueue: "q").server
      let text = "delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms."
      #expect(
        QueueError(closed: 406, "PRECONDITION_FAILED - \(text)", by: server)
          == .unavailable("RabbitMQ at localhost:5672 has taken messages back: \(text)"))
      #expect(
        QueueError(closed: 406, "PRECONDITION_FAILED - unknown delivery tag 1", by: server)
          == .refused("RabbitMQ at localhost:5672 refuses: unknown delivery tag 1"))
    }

    @Test("an unknown exchange is refused")
    func exchange() async throws {
      let (failure, server) = try await failure { $0.newURL() + "&exchange=nothing" }
      #expect(failure == .refused("\(server.name) refuses: no exchange 'nothing' in vhost '/'"))
    }

    @Test("a port on which nothing listens counts as unavailable")
    func port() async throws {
      let port = freePort()
      let (failure, _) = try await failure { _ in "amqp://127.0.0.1:\(port)/" }
      guard case .unavailable(let text) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(text.hasPrefix("RabbitMQ at 127.0.0.1:\(port) cannot be reached ("))
    }

    @Test("a server that is not a RabbitMQ is reported as such")
    func foreign() async throws {
      try await withHostileServer { hostile in
        let (failure, _) = try await failure { _ in "amqp://127.0.0.1:\(hostile.port)/" }
        guard case .unavailable = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
      }
    }

    @Test("TLS to a host with a trusted certificate works", arguments: ["localhost", "127.0.0.1"])
    func secure(host: String) async throws {
      let (failure, _) = try await failure {
        $0.secureURL(host: host)
      } certificateFile: {
        $0.caFile
      }
      #expect(failure == nil)
    }

    @Test("TLS to a host without a trusted certificate is refused")
    func untrusted() async throws {
      let (failure, server) = try await failure { $0.secureURL(host: "localhost") }
      #expect(
        failure
          == .refused(
            "the certificate of RabbitMQ at localhost:\(server.ports.secure) is for another host, or its authority is not trusted: name the authority with --ca-file"
          ))
    }

    @Test("TLS to a host with a certificate for another host is refused")
    func wrongHost() async throws {
      // The same address, by a name that is not in the certificate.
      let (failure, server) = try await failure {
        $0.secureURL(host: "127.1")
      } certificateFile: {
        $0.caFile
      }
      #expect(
        failure
          == .refused(
            "the certificate of RabbitMQ at 127.1:\(server.ports.secure) is for another host, or its authority is not trusted: name the authority with --ca-file"
          ))
    }

    @Test("TLS to a port that does not speak it is refused")
    func plain() async throws {
      let (failure, server) = try await failure { "amqps://127.0.0.1:\($0.ports.plain)/" }
      #expect(
        failure
          == .unavailable(
            "\(server.name) does not speak TLS, or is shutting down: amqps usually uses port 5671"))
    }

    @Test("unreadable certificate authorities are refused")
    func authorities() async throws {
      let (failure, _) = try await failure {
        $0.secureURL(host: "localhost")
      } certificateFile: { _ in
        "/nonexistent"
      }
      #expect(failure == .refused("the certificates of /nonexistent cannot be read"))
    }

    @Test("a password can come from a file")
    func passwordFile() async throws {
      try await withTemporaryDirectory { folder in
        let file = try folder.write(Array("guest\n".utf8), to: "password", mode: 0o600)
        let url = { (server: RabbitMQServer) in
          server.newURL().replacing("amqp://", with: "amqp://guest@") + "&password-file=\(file)"
        }
        #expect(try await failure(opening: url).0 == nil)
        try folder.write([], to: "password")
        #expect(try await failure(opening: url).0 == .refused("the password file \(file) is empty"))
      }
    }
  }
#endif
