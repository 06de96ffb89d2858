#if Redis
  import Queueing
  @testable import RedisQueueing
  import Testing

  @Suite("RedisURL")
  struct RedisURLTests {
    /// A URL and its parts, with the server as `user password host port`.
    @Test(
      "URLs of streams are read",
      arguments: [
        ("redis://host", "- - host 6379", "incoming", "push-enricher"),
        ("redis://host/", "- - host 6379", "incoming", "push-enricher"),
        ("Redis://Host.example:1/a?group=b", "- - Host.example 1", "a", "b"),
        ("rediss://:s3cret@127.0.0.1/a/b", "- s3cret 127.0.0.1 6379", "a/b", "push-enricher"),
        ("redis://me:p%40%3a%2Fw:x@[::1]:65535/a%20b?group=c%26d", "me p@:/w:x ::1 65535", "a b", "c&d"),
        ("redis://me:p@ss@host/a", "me p@ss host 6379", "a", "push-enricher"),
        ("redis://me@host?password-file=/run/pw", "me /run/pw host 6379", "incoming", "push-enricher"),
        ("redis://host/%C3%9C?password-file=pw&group=g", "- pw host 6379", "Ü", "g"),
      ])
    func valid(text: String, who: String, stream: String, group: String) throws {
      let url = try RedisURL(text, defaultStream: "incoming")
      let server = url.server
      let secret = server.password ?? server.passwordFile ?? "-"
      #expect("\(server.user ?? "-") \(secret) \(server.host) \(server.port)" == who)
      #expect(server.isSecure == text.hasPrefix("rediss"))
      #expect(url.stream == stream)
      #expect(url.group == group)
    }

    @Test(
      "other URLs are refused, and shown without their password",
      arguments: [
        ("redis:", "redis:"), ("redis://", "redis://"), ("redis://:6379/a", "redis://:6379/a"),
        ("redis://host:0/a", "redis://host:0/a"), ("redis://host:65536/a", "redis://host:65536/a"),
        ("redis://host:x/a", "redis://host:***"), ("redis://ho st/a", "redis://ho st/a"),
        ("redis://[::1/a", "redis://[::1/a"), ("redis://[host]/a", "redis://[host]/a"),
        ("redis://host/a%2", "redis://host/a%2"), ("redis://host/%FF", "redis://host/%FF"),
        ("redis://host/a?db=x", "redis://host/a?db=x"), ("redis://host/a?group=", "redis://host/a?group="),
        ("redis://host/a?group=b&group=c", "redis://host/a?group=b&group=c"),
        ("redis://me@ho st/a?password-file=b", "redis://me@ho st/a?password-file=b"),
        ("redis://secret@host/a", "redis://***@host/a"), ("REDISS://secret@host/a", "REDISS://***@host/a"),
        ("redis://se%20cret@host:1/0/a?group=g", "redis://***@host:1/0/a?group=g"),
        ("redis://me:@host/a", "redis://me:***@host/a"),
        ("redis://me:secret@ho st/a", "redis://me:***@ho st/a"),
        ("redis:/:secret@host/a", "***@host/a"), ("redis://me secret@host?x", "redis://***@host?x"),
        ("redis://host/a?password=secret", "redis://host/a?password=***"),
        ("redis://me:sec/ret@host/a", "redis://me:***@host/a"),
        ("redis://me:secret@host/a?password-file=b", "redis://me:***@host/a?password-file=b"),
        // Without an `@`, the password is in the place of the port.
        ("redis://me:secret/a", "redis://me:***"), ("redis://me:sec/ret?b", "redis://me:***"),
        ("redis://me:/secret", "redis://me:***"), ("redis://me:123456/a", "redis://me:***"),
        ("redis:///me:secret/a", "redis:///me:***"), ("redis:me:secret/a", "redis:***"),
        ("redis://m@e:secret/a", "redis://***@e:***"), ("redis://[::1]:secret/a", "redis://[::1]:***"),
        ("redis://host:0/a:b", "redis://host:0/a:b"),
        ("redis://host/a?password=sec&ret", "redis://host/a?password=***"),
      ])
    func invalid(text: String, shown: String) {
      let error = #expect(throws: QueueError.self) { try RedisURL(text, defaultStream: "incoming") }
      #expect(error?.advice == [shown, "redis://HOST/incoming?group=push-enricher"])
    }

    private static let address =
      "its host is a name in ASCII or an address, one of IPv6 in brackets, like [::1]"
    private static let brackets =
      "an IPv6 address needs brackets, like [::1], and a password needs an @ after it"
    private static let port = "its port is a number from 1 to 65535"
    private static let behind = "(a password needs an @ after it, and %2F and %3F for / and ? in it)"
    private static let slash = "a / in its user name or password is written %2F, and an @ after its host %40"
    private static let code = "percent-encoded UTF-8 without NUL, with %25 for a %"
    private static let parameters = "its parameters are group, db, password-file"

    @Test(
      "the error names the wrong part, and shows it unless it may be a password",
      arguments: [
        ("redis:", "there is no :// after its scheme"), ("redis:/h/a", "there is no :// after its scheme"),
        ("redis:x://host/a", "there is no :// after its scheme"), ("redis://", "its host is missing"),
        ("redis://:6379/a", "its host is missing"), ("redis://ho st:1/a", "\(address), not 'ho st:1'"),
        ("redis://[host]/a", "\(address), not '[host]'"), ("redis://[::1/a", brackets),
        ("redis://2001:db8::1/a", brackets), ("redis://me:sec:ret/a", brackets),
        ("redis://host:0/a", "\(port), not '0'"), ("redis://host:65536/a", "\(port), not '65536'"),
        ("redis://host:/a", port), ("redis://me:123456/a", port),
        ("redis://me:me/a", "\(port) \(behind)"),
        ("redis://me:sec?ret@host/a", "\(port) \(behind)"), ("redis://me:sec/ret@host/a", slash),
        ("redis://me:s@c/ret@host/a", slash), ("redis://host/a@b", slash),
        ("redis://m%e:s@host/a", "its user name is \(code), not 'm%e'"),
        ("redis://me:%zz@host/a", "its password is \(code)"),
        ("redis://host/a%", "its path is \(code), not 'a%'"),
        ("redis://host/a?group=%FF", "its parameter group is \(code), not '%FF'"),
        ("redis://me:@host/a", "its password is empty"),
        ("redis://me@host/a", "its login is :PASSWORD@ or USER:PASSWORD@, or USER@ with a password-file"),
        ("redis://:s@host/a?password-file=b", "it has a password or a password-file, and not both"),
        ("redis://host/a?name=1", "\(parameters), not 'name'"), ("redis://me:s@c?ret@host/a", parameters),
        ("redis://host/a?group=", "its parameter group is empty"),
        ("redis://host/a?group", "its parameter group is empty"),
        ("redis://host/a?group=b&group=c", "its parameter group appears twice"),
        ("redis://host/a?db=-1", "its database is a number from 0 to 2147483647"),
        ("redis://host/2147483648/a", "its database is a number from 0 to 2147483647"),
      ])
    func part(text: String, wrong: String) {
      let error = #expect(throws: QueueError.self) { try RedisURL(text, defaultStream: "incoming") }
      let right = "redis://HOST/incoming?group=push-enricher"
      #expect(
        error?.description == "'\(text.withoutPassword)' is not a queue: \(wrong); write one like \(right)")
    }

    @Test(
      "a database is in the path or in a parameter",
      arguments: [
        ("redis://host/0/a", 0, "a"), ("redis://host/12/a/b", 12, "a/b"), ("redis://host/a?db=3", 3, "a"),
        ("redis://host?db=3", 3, "incoming"), ("redis://host/?db=0", 0, "incoming"),
        ("redis://host/a/1", 0, "a/1"), ("redis://host/1a", 0, "1a"), ("redis://host/7/8/9", 7, "8/9"),
      ])
    func database(text: String, database: Int, stream: String) throws {
      let url = try RedisURL(text, defaultStream: "incoming")
      #expect(url.server.database == database)
      #expect(url.stream == stream)
    }

    private static let alone = "a number alone is a database, and the stream is missing"
    private static let slashes = "its stream neither begins nor ends with a /"
    private static let both = "its database is in its path or in db, and not in both"

    @Test(
      "URLs of a database in the form of other clients are refused with the URL that was meant",
      arguments: [
        ("redis://host/0", alone, "redis://host/0/incoming"),
        ("redis://host/%31", alone, "redis://host/1/incoming"),
        ("rediss://me:s3cret@host:1/15", alone, "rediss://me:***@host:1/15/incoming"),
        ("redis://:s3cret@host/0/", alone, "redis://:***@host/0/incoming"),
        ("redis://host/1/2", alone, "redis://host/1/incoming"),
        (
          "redis://me@host/0?password-file=/p&group=g", alone,
          "redis://me@host/0/incoming?password-file=/p&group=g"
        ),
        ("redis://host/0?db=1", alone, "redis://host/0/incoming"),
        ("redis://host/0/a?db=1", both, "redis://host/0/incoming"),
        ("redis://host//a", slashes, "redis://host/a"), ("redis://host/a/", slashes, "redis://host/a"),
        ("redis://host/2//a?group=g", slashes, "redis://host/2/a?group=g"),
        ("redis://host//a?db=1", slashes, "redis://host/a?db=1"),
      ])
    func usual(text: String, wrong: String, right: String) throws {
      let error = #expect(throws: QueueError.self) { try RedisURL(text, defaultStream: "incoming") }
      #expect(
        error?.description == "'\(text.withoutPassword)' is not a queue: \(wrong); write one like \(right)")
      _ = try RedisURL(right, defaultStream: "x")
    }
  }
#endif
