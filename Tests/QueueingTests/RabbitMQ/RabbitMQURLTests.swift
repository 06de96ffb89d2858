#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import Testing

  @Suite("RabbitMQURL")
  struct RabbitMQURLTests {
    @Test("all parts of a URL are read")
    func whole() throws {
      let url = try RabbitMQURL(
        "amqps://us%65r:p%40ss%2Fword@[::1]:1234/v%2Fhost?queue=a%20b&exchange=e&routing-key=k&queue-type=classic",
        defaultQueue: "incoming")
      #expect(url.server.isSecure)
      #expect(url.server.host == "::1")
      #expect(url.server.port == 1234)
      #expect(url.server.user == "user")
      #expect(url.server.password == "p@ss/word")
      #expect(url.server.vhost == "v/host")
      #expect(url.queue == "a b")
      #expect(url.target == RabbitMQURL.Target(exchange: "e", routingKey: "k"))
      #expect(url.queueType == .classic)
    }

    @Test("missing parts get defaults")
    func defaults() throws {
      let url = try RabbitMQURL("amqp://host", defaultQueue: "incoming")
      #expect(!url.server.isSecure)
      #expect(url.server.port == 5672)
      #expect(url.server.user == "guest")
      #expect(url.server.password == "guest")
      #expect(url.server.vhost == "/")
      #expect(url.server.passwordFile == nil)
      #expect(url.queue == "incoming")
      #expect(url.target == RabbitMQURL.Target(exchange: "", routingKey: "incoming"))
      #expect(url.queueType == .quorum)
      #expect(try RabbitMQURL("amqp://host/", defaultQueue: "x").server.vhost == "/")
      #expect(try RabbitMQURL("AMQPS://host", defaultQueue: "x").server.port == 5671)
    }

    @Test("an exchange needs no queue, and a queue's name is its routing key")
    func exchange() throws {
      let alone = try RabbitMQURL("amqp://host/v?exchange=e", defaultQueue: "x")
      #expect(alone.queue == nil)
      #expect(alone.target == RabbitMQURL.Target(exchange: "e", routingKey: ""))
      let both = try RabbitMQURL("amqp://host/v?exchange=e&queue=q", defaultQueue: "x")
      #expect(both.queue == "q")
      #expect(both.target == RabbitMQURL.Target(exchange: "e", routingKey: "q"))
    }

    @Test("a password can come from a file")
    func passwordFile() throws {
      let url = try RabbitMQURL("amqp://user@host/v?password-file=/run/secret", defaultQueue: "x")
      #expect(url.server.user == "user")
      #expect(url.server.passwordFile == "/run/secret")
    }

    @Test(
      "other URLs are refused without showing the password",
      arguments: [
        ("amqp:", "amqp:"), ("amqp://", "amqp://"), ("amqp:///v", "amqp:///v"),
        ("amqp://u:secret@/v", "amqp://u:***@/v"), ("amqp://host:0/v", "amqp://host:0/v"),
        ("amqp://host:65536/v", "amqp://host:65536/v"), ("amqp://ho st/v", "amqp://ho st/v"),
        ("amqp://host/a/b/c", "amqp://host/a/b/c"), ("amqp://host/%zz", "amqp://host/%zz"),
        ("amqp://host/%00", "amqp://host/%00"), ("amqp://host/v?queue=", "amqp://host/v?queue="),
        ("amqp://host/v?queue", "amqp://host/v?queue"), ("amqp://host/v?name=a", "amqp://host/v?name=a"),
        ("amqp://host/v?queue=a&queue=b", "amqp://host/v?queue=a&queue=b"),
        ("amqp://host/v?routing-key=k", "amqp://host/v?routing-key=k"),
        ("amqp://host/v?queue-type=stream", "amqp://host/v?queue-type=stream"),
        ("amqp://u:secret@host/v?password-file=/x", "amqp://u:***@host/v?password-file=/x"),
        ("amqp://u:secret/v?queue=q", "amqp://u:***"),
        ("amqp://host/v?auth=secret", "amqp://host/v?auth=***"),
      ])
    func invalid(text: String, shown: String) {
      let error = #expect(throws: QueueError.self) { try RabbitMQURL(text, defaultQueue: "incoming") }
      #expect(error?.advice == [shown, Self.right])
    }

    private static let right = "amqp://USER:PASSWORD@localhost:5672/VHOST?queue=incoming"
    private static let tooLong = String(repeating: "n", count: 256)
    private static let parameters =
      "its parameters are queue, exchange, routing-key, queue-type, password-file"

    @Test(
      "the error names the wrong part",
      arguments: [
        ("amqp:", "there is no :// after its scheme"), ("amqp://u:secret@/v", "its host is missing"),
        ("amqp://host:0/v", "its port is a number from 1 to 65535, not '0'"),
        ("amqp://host/a/b/c", "a / in its virtual host is written %2F"),
        ("amqp://host/v?name=a", "\(parameters), not 'name'"),
        ("amqp://host/v?queue-type=stream", "its parameter queue-type is quorum or classic"),
        ("amqp://host/v?routing-key=k", "its parameter routing-key is for an exchange, and there is none"),
        ("amqp://u:s@host/v?password-file=/x", "it has a password or a password-file, and not both"),
        ("amqp://host/v?queue=\(tooLong)", "its parameter queue has at most 255 bytes"),
        ("amqp://host/\(tooLong)", "its virtual host has at most 255 bytes"),
      ])
    func part(text: String, wrong: String) {
      let error = #expect(throws: QueueError.self) { try RabbitMQURL(text, defaultQueue: "incoming") }
      #expect(
        error?.description
          == "'\(text.withoutPassword)' is not a queue: \(wrong); write one like \(Self.right)")
    }

    @Test(
      "URLs in the form of other clients are refused with the URL that was meant",
      arguments: [
        ("amqp://host//", "amqp://host/%2F?queue=incoming"),
        ("amqp://u:s3cret@host:1//", "amqp://u:***@host:1/%2F?queue=incoming"),
        ("amqp://host/v/", "amqp://host/v?queue=incoming"),
        ("amqps://host/v/jobs", "amqps://host/v?queue=jobs"),
        ("amqp://host//jobs", "amqp://host/%2F?queue=jobs"),
        ("amqp://host//?queue=jobs&queue-type=classic", "amqp://host/%2F?queue=jobs&queue-type=classic"),
        ("amqp://u@host//?password-file=/p", "amqp://u@host/%2F?queue=incoming&password-file=/p"),
        ("amqp://host//?exchange=e", "amqp://host/%2F?exchange=e"),
      ])
    func usual(text: String, right: String) throws {
      let error = #expect(throws: QueueError.self) { try RabbitMQURL(text, defaultQueue: "incoming") }
      #expect(error?.advice == [text.withoutPassword, right])
      _ = try RabbitMQURL(right, defaultQueue: "x")
    }

    @Test("a password may contain an unescaped / and @, which Redis does not allow") func unescaped()
      throws
    {
      let server = try RabbitMQURL("amqp://u:s/c@r@[fe80::1%eth0]/v", defaultQueue: "x").server
      #expect(server.password == "s/c@r")
      #expect(server.host == "fe80::1%eth0")
    }

    @Test("names are no longer than the protocol allows")
    func long() throws {
      let name = String(repeating: "n", count: 255)
      #expect(try RabbitMQURL("amqp://host/v?queue=\(name)", defaultQueue: "x").queue == name)
      #expect(throws: QueueError.self) { try RabbitMQURL("amqp://host/v?queue=\(name)n", defaultQueue: "x") }
    }
  }
#endif
