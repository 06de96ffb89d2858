import BuiltInQueueing
@testable import Queueing
import TestSupport
import Testing

#if RabbitMQ
  @testable import RabbitMQQueueing
#endif
#if Redis
  @testable import RedisQueueing
#endif

@Suite("QueueURL")
struct QueueURLTests {
  @Test(
    "URLs of queues are accepted",
    arguments: [
      ("sqlite:push-enricher.db?queue=enriched", "push-enricher.db", "enriched"),
      ("sqlite:queue.db", "queue.db", "incoming"), ("sqlite:queue.db?", "queue.db", "incoming"),
      ("SQLite:/var/lib/x y%20.db?queue=A-1_b.c", "/var/lib/x y%20.db", "A-1_b.c"),
      ("sqlite:C:/x", "C:/x", "incoming"),
    ])
  func valid(text: String, path: String, name: String) throws {
    let url = try queueURL(text)
    #expect(url.needs == QueueNeeds(database: path))
    #expect(url.label == QueueLabel(system: "sqlite", name: name))
  }

  @Test("a hyphen means lines, also those of records") func lines() throws {
    #expect((try queueURL("-") as? LinesURL)?.format == .payloads)
    for text in ["records:-", "Records:-"] {
      #expect((try queueURL(text) as? LinesURL)?.format == .records)
    }
  }

  #if Redis && RabbitMQ
    @Test("each broker parses its own URLs")
    func brokers() throws {
      let redis = try #require(try queueURL("rediss://host/stream?group=g") as? RedisURL)
      let rabbitMQ = try #require(try queueURL("AMQPS://u:p@host") as? RabbitMQURL)
      #expect(redis.stream == "stream")
      #expect(redis.group == "g")
      #expect(rabbitMQ.queue == "incoming")
    }
  #endif

  private static let kinds =
    "sqlite:push-enricher.db?queue=incoming, redis://HOST/STREAM?group=NAME, amqp://HOST/VHOST?queue=NAME, http://127.0.0.1:8080, apns://HOST?key=FILE&key-id=ID&team-id=ID, records:-, or - for lines"

  @Test(
    "other texts are refused with what would be right, and without a password",
    arguments: [
      ("", "", "sqlite:push-enricher.db?queue=incoming"),
      ("queue.db", "queue.db", "sqlite:queue.db?queue=incoming"),
      ("/var/lib/queue.db", "/var/lib/queue.db", "sqlite:/var/lib/queue.db?queue=incoming"),
      ("sqlite:", "sqlite:", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite:?queue=a", "sqlite:?queue=a", "sqlite:push-enricher.db?queue=a"),
      ("sqlite:folder/", "sqlite:folder/", "sqlite:folder/push-enricher.db?queue=incoming"),
      ("sqlite:///queue.db", "sqlite:///queue.db", "sqlite:/queue.db?queue=incoming"),
      ("sqlite:////queue.db", "sqlite:////queue.db", "sqlite:/queue.db?queue=incoming"),
      ("sqlite://queue.db", "sqlite://queue.db", "sqlite:queue.db?queue=incoming"),
      ("sqlite://", "sqlite://", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite:///", "sqlite:///", "sqlite:/push-enricher.db?queue=incoming"),
      ("sqlite://a/b?queue=c", "sqlite://a/b?queue=c", "sqlite:a/b?queue=c"),
      ("sqlite::memory:", "sqlite::memory:", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite:-", "sqlite:-", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite://:memory:", "sqlite://:memory:", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite:a\0b", "sqlite:a\0b", "sqlite:push-enricher.db?queue=incoming"),
      ("sqlite:a?queue=", "sqlite:a?queue=", "sqlite:a?queue=incoming"),
      ("sqlite:a?queue=b c", "sqlite:a?queue=b c", "sqlite:a?queue=incoming"),
      ("sqlite:a?name=b", "sqlite:a?name=b", "sqlite:a?queue=incoming"),
      ("sqlite:a?queue=b&mode=ro", "sqlite:a?queue=b&mode=ro", "sqlite:a?queue=b"),
      ("records:", "records:", "records:-"), ("records:a.jsonl", "records:a.jsonl", "records:-"),
      ("records:--", "records:--", "records:-"), ("kafka://host/topic", "kafka://host/topic", kinds),
      ("postgres://u:secret@host/db", "postgres://u:***@host/db", kinds),
      ("redis+sentinel://host/a", "redis+sentinel://host/a", kinds),
      ("redis+tls://host/0", "redis+tls://host/0", kinds),
      ("ampq://user:secret:x@host/v", "ampq://user:***@host/v", kinds),
      ("ampq://user:p@ss/w@host/v", "ampq://user:***@host/v", kinds),
      ("ampq://user@host:1/v", "ampq://user@host:1/v", kinds),
      (":", ":", kinds),
      // These are meant as URLs, and have a password somewhere.
      ("redis//:secret@host:1/v", "***@host:1/v", kinds),
      ("user:secret@host/v", "***@host/v", kinds),
      ("user secret@host/v", "***@host/v", "sqlite:***@host/v?queue=incoming"),
      ("ampq://user secret@host/v", "ampq://***@host/v", kinds),
      ("ampq://host/v?queue=a&password=secret", "ampq://host/v?queue=a&password=***", kinds),
      ("user:secret/v", "user:***", kinds), ("redis//user:secret/v", "redis//user:***", kinds),
      ("host:6379/v", "host:6379/v", kinds),
      // With a combining mark after it, a colon is a different character.
      ("ampq://user:\u{301}secret@host/v", "ampq://user:***@host/v", kinds),
      ("sqlite:a@b?queue=c&password=d", "sqlite:a@b?queue=c&password=***", "sqlite:a@b?queue=c"),
      (
        "ampq://host/v?PassWord=secret&password-file=/p", "ampq://host/v?PassWord=***&password-file=/p", kinds
      ),
    ])
  func invalid(text: String, shown: String, right: String) {
    let error = #expect(throws: QueueError.self) { try queueURL(text) }
    #expect(error?.advice == [shown, right])
  }

  private static let scheme = "its scheme is sqlite, redis, rediss, amqp, amqps, http, apns or records"
  private static let name = "its queue is 1 to 100 letters, digits, '.', '_' and '-'"

  @Test(
    "the error says which part is wrong, and what would be right",
    arguments: [
      ("queue.db", "it has no scheme"), ("kafka://host/topic", "\(scheme), not 'kafka'"), (":", scheme),
      ("secret:x@host/v", scheme),
      (
        "records:a.jsonl",
        "only - may follow records:, for stdin or stdout; a file comes from the shell, with < or >"
      ),
      ("sqlite:", "the path of its file is missing"),
      ("sqlite:a\0b", "the path of its file has a NUL"),
      ("sqlite://q.db", "its path follows sqlite: without //"),
      ("sqlite:folder/", "its path must name a file, not a folder"),
      ("sqlite:a?queue=b c", "\(name), not 'b c'"),
      ("sqlite:a?queue=", name), ("sqlite:a?mode=ro", "its only parameter is queue, not 'mode'"),
      ("sqlite:a?queue=b&queue=c", "its parameter queue appears twice"),
    ])
  func message(text: String, wrong: String) {
    let error = #expect(throws: QueueError.self) { try queueURL(text) }
    let (shown, right) = (error?.advice?.first ?? "", error?.advice?.last ?? "")
    #expect(error?.description == "'\(shown)' is not a queue: \(wrong); write one like \(right)")
  }

  @Test("a new kind needs one row, and errors about wrong URLs name it")
  func further() throws {
    let kinds = [.memory] + QueueKind.builtIn
    #expect(try kinds.url("Memory:a/b", defaultQueue: "x").label == QueueLabel(system: "memory", name: "b"))
    let error = #expect(throws: QueueError.self) { try kinds.url("kafka://host/x", defaultQueue: "incoming") }
    #expect(
      error?.description
        == "'kafka://host/x' is not a queue: its scheme is memory, sqlite, redis, rediss, amqp, amqps, http, apns or records, not 'kafka'; write one like memory:STORE/NAME, \(Self.kinds)"
    )
  }

  @Test("brokers that this build lacks are refused")
  func missing() {
    let instead = "use a queue in a file, like sqlite:push-enricher.db?queue=incoming"
    #if !Redis
      #expect(throws: QueueError.refused("this build has no Redis: \(instead)")) {
        try Queues().open("redis://host/stream", defaultQueue: "incoming")
      }
    #endif
    #if !RabbitMQ
      #expect(throws: QueueError.refused("this build has no RabbitMQ: \(instead)")) {
        try Queues().open("amqps://user:secret@host/vhost", defaultQueue: "incoming")
      }
    #endif
  }

  @Test(
    "two URLs of the same queue are equivalent",
    arguments: [
      ("sqlite:q.db", "sqlite:./q.db?queue=incoming"), ("sqlite:nowhere/q.db", "sqlite:nowhere/q.db"),
    ])
  func same(one: String, other: String) throws {
    #expect(try isSameQueue(one, other))
    #expect(try isSameQueue(other, one))
  }

  #if Redis && RabbitMQ
    @Test(
      "two URLs of the same queue of a broker are equivalent",
      arguments: [
        ("redis://localhost/a", "redis://127.0.0.1:6379/a?group=g"),
        ("redis://[::1]/a", "rediss://:p@127.0.0.1/a"), ("redis://localhost/a", "redis://localhost/0/a"),
        ("redis://localhost/a?db=2", "redis://localhost/2/a"),
        ("redis://Host.example/a", "redis://host.example./a"),
        ("amqp://localhost", "amqp://u:p@[::ffff:127.0.0.1]:5672/?queue=incoming"),
        ("amqp://10.1/v?queue=a", "amqp://10.0.0.1/v?queue=a"),
        ("amqp://[2001:db8:0::1]", "amqp://[2001:DB8::1]"), ("amqp://0.0.0.0", "amqp://a.localhost"),
      ])
    func sameAtBroker(one: String, other: String) throws { try same(one: one, other: other) }
  #endif

  @Test(
    "two URLs of different queues, or of unknown ones, are not equivalent",
    arguments: [
      ("-", "-"), ("sqlite:q.db", "sqlite:q.db?queue=enriched"), ("sqlite:q.db", "sqlite:p.db"),
      ("sqlite:/usr/q.db", "sqlite:/etc/q.db"), ("sqlite:/usr/bin", "sqlite:/usr/lib"),
      ("sqlite:nowhere/q.db", "sqlite:elsewhere/q.db"),
    ])
  func different(one: String, other: String) throws {
    #expect(try !isSameQueue(one, other))
  }

  #if Redis && RabbitMQ
    @Test(
      "two URLs of different queues of a broker are not equivalent",
      arguments: [
        ("redis://localhost/a", "redis://localhost/b"), ("redis://localhost/a", "redis://localhost/1/a"),
        ("redis://localhost/a", "redis://localhost:1/a"),
        ("redis://10.0.0.1/a", "redis://10.0.0.2/a"), ("redis://[::2]/a", "redis://[::3]/a"),
        ("amqp://localhost/v", "amqp://localhost/w"), ("amqp://localhost/v", "redis://localhost/v"),
      ])
    func differentAtBroker(one: String, other: String) throws {
      try different(one: one, other: other)
    }
  #endif

  private func isSameQueue(_ one: String, _ other: String) throws -> Bool {
    try queueURL(one).isSameQueue(as: queueURL(other))
  }

  @Test("a file is the same store under all of its paths")
  func sameFile() async throws {
    try await withTemporaryDirectory { folder in
      let queues = Queues()
      let path = folder.path(of: "queue.db")
      let one = try #require(try queues.open("sqlite:\(path)", defaultQueue: "one") as? SQLiteQueue)
      let other = try #require(
        try queues.open("sqlite:\(folder.path)/./queue.db", defaultQueue: "b") as? SQLiteQueue)
      let foreign = try #require(try Queues().open("sqlite:\(path)", defaultQueue: "b") as? SQLiteQueue)
      #expect(one.store === other.store)
      #expect(one.store !== foreign.store)
    }
  }
}

/// A URL of a kind that is built in.
func queueURL(_ text: String, defaultQueue: String = "incoming") throws(QueueError) -> any QueueURL {
  try QueueKind.builtIn.url(text, defaultQueue: defaultQueue)
}
