import Queueing
import Testing

@Suite("The label of a queue in metrics")
struct QueueLabelTests {
  @Test(
    "has its kind and its name, and no secrets",
    arguments: [
      ("sqlite:/var/lib/queue.db?queue=a", "sqlite", "a"), ("sqlite:queue.db", "sqlite", "enriched"),
      ("-", "lines", "-"), ("records:-", "lines", "records:-"),
    ])
  func label(url: String, system: String, name: String) throws {
    let label = try queueURL(url, defaultQueue: "enriched").label
    #expect(label.system == system)
    #expect(label.name == name)
  }

  #if Redis
    @Test("has the name of a Redis stream") func redis() throws {
      let label = try queueURL("redis://u:secret@host/s", defaultQueue: "enriched").label
      #expect(label.system == "redis")
      #expect(label.name == "s")
      let other = try queueURL("redis://u:secret@host/s?db=1", defaultQueue: "enriched").label
      #expect(other.name == "1/s")
    }
  #endif

  #if RabbitMQ
    @Test(
      "distinguishes two routing keys of an exchange",
      arguments: [
        ("?exchange=amq.direct&routing-key=out", "amq.direct:out"),
        ("?exchange=amq.direct&routing-key=dead", "amq.direct:dead"),
        ("?exchange=amq.direct&queue=q", "amq.direct:q"), ("?exchange=amq.fanout", "amq.fanout"),
        ("?queue=q", "q"), ("", "enriched"),
      ])
    func exchange(query: String, name: String) throws {
      let label = try queueURL("amqp://u:secret@host/v\(query)", defaultQueue: "enriched").label
      #expect(label.system == "rabbitmq")
      #expect(label.name == name)
    }
  #endif
}
