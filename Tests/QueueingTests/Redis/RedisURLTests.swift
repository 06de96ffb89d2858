#if Redis
  import Queueing
  @testable import RedisQueueing
  import Testing

  @Suite("RedisURL")
  struct RedisURLTests {
    /// A URL and what it says, with the server as `user password host port`.
    @Test(
      "what names a stream",
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
      "what names none, shown without its password",
      arguments: [
        ("redis:", "redis:"), ("redis://", "redis://"), ("redis://:6379/a", "redis://:6379/a"),
        ("redis://host:0/a", "redis://host:0/a"), ("redis://host:65536/a", "redis://host:65536/a"),
        ("redis://host:x/a", "redis://host:***"), ("redis://ho st/a", "redis://ho st/a"),
        ("redis://[::1/a", "redis://[::1/a"), ("redis://[host]/a", "redis://[host]/a"),
        ("redis://host/a%2", "redis://host/a%2"), ("redis://host/%FF", "redis://host/%FF"),
        ("redis://host/a?db=1", "redis://host/a?db=1"), ("redis://host/a?group=", "redis://host/a?group="),
        ("redis://host/a?group=b&group=c", "redis://host/a?group=b&group=c"),
        ("redis://me@host/a", "redis://me@host/a"), ("redis://me:@host/a", "redis://me:***@host/a"),
        ("redis://me:secret@ho st/a", "redis://me:***@ho st/a"),
        ("redis:/:secret@host/a", "***@host/a"), ("redis://me secret@host?x", "redis://***@host?x"),
        ("redis://host/a?password=secret", "redis://host/a?password=***"),
        ("redis://me:sec/ret@host/a", "redis://me:***@host/a"),
        ("redis://me:secret@host/a?password-file=b", "redis://me:***@host/a?password-file=b"),
        // Without an `@`, the password is where the port would be.
        ("redis://me:secret/a", "redis://me:***"), ("redis://me:sec/ret?b", "redis://me:***"),
        ("redis://me:/secret", "redis://me:***"), ("redis://me:123456/a", "redis://me:***"),
        ("redis:///me:secret/a", "redis:///me:***"), ("redis:me:secret/a", "redis:***"),
        ("redis://m@e:secret/a", "redis://m@e:***"), ("redis://[::1]:secret/a", "redis://[::1]:***"),
        ("redis://host:0/a:b", "redis://host:0/a:b"),
        ("redis://host/a?password=sec&ret", "redis://host/a?password=***"),
      ])
    func invalid(text: String, shown: String) {
      #expect(
        throws: QueueError.urlInvalid(shown, right: "redis://HOST/incoming?group=push-enricher")
      ) { try RedisURL(text, defaultStream: "incoming") }
    }
  }
#endif
