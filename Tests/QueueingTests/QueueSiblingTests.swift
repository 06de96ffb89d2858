import Queueing
import Testing

@Suite("The sibling of a queue")
struct QueueSiblingTests {
  @Test(
    "is in the same file", arguments: ["sqlite:q.db", "sqlite:q.db?queue=a", "sqlite:q.db?"])
  func file(text: String) throws {
    try expect(text, "sqlite:q.db?queue=dead-letters", "sqlite:PATH?queue=dead-letters")
  }

  @Test("does not exist for a pipe") func lines() throws { try expect("-", nil, "-") }

  #if Redis
    @Test(
      "is in the same database of Redis, with the same login",
      arguments: [
        ("redis://host", "redis://host/dead-letters"), ("redis://host/", "redis://host/dead-letters"),
        ("redis://host/a/b", "redis://host/dead-letters"),
        ("redis://host/a?db=2", "redis://host/dead-letters?db=2"),
        ("redis://host/2/a", "redis://host/2/dead-letters"),
        ("rediss://me:s3@cret@[::1]:1/0/a?group=g", "rediss://me:s3@cret@[::1]:1/0/dead-letters?group=g"),
        ("redis://me@host?password-file=/p", "redis://me@host/dead-letters?password-file=/p"),
      ])
    func redis(text: String, sibling: String) throws {
      try expect(text, sibling, "redis://HOST/dead-letters")
    }
  #endif

  #if RabbitMQ
    @Test(
      "is in the same virtual host of RabbitMQ, with the same login",
      arguments: [
        ("amqp://host", "amqp://host?queue=dead-letters"),
        ("amqp://host/v?queue=a", "amqp://host/v?queue=dead-letters"),
        (
          "amqp://u:s/c@ret@host/%2F?exchange=e&routing-key=k", "amqp://u:s/c@ret@host/%2F?queue=dead-letters"
        ),
        (
          "amqps://u@host/v?queue=a&queue-type=classic&password-file=/p",
          "amqps://u@host/v?queue=dead-letters&queue-type=classic&password-file=/p"
        ),
      ])
    func rabbitMQ(text: String, sibling: String) throws {
      try expect(text, sibling, "amqp://HOST/VHOST?queue=dead-letters")
    }
  #endif

  private func expect(_ text: String, _ sibling: String?, _ example: String) throws {
    let url = try queueURL(text)
    #expect(url.sibling("dead-letters", of: text) == sibling)
    #expect(url.example("dead-letters") == example)
    if let sibling { _ = try queueURL(sibling) }
  }
}
