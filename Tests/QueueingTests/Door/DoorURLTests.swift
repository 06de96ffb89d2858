import BuiltInQueueing
import HTTPQueueing
import Queueing
import Testing

@Suite("The URL of a door")
struct DoorURLTests {
  @Test(
    "is an address of this machine and a port",
    arguments: [
      ("http://127.0.0.1:8080", DoorReach.machine, "127.0.0.1:8080", 8080),
      ("HTTP://127.0.0.1:8080/", .machine, "127.0.0.1:8080", 8080),
      ("http://localhost:80", .machine, "127.0.0.1:80", 80), ("http://[::1]:1", .machine, "[::1]:1", 1),
      ("http://0.0.0.0:65535", .network, "0.0.0.0:65535", 65_535),
      ("http://[::]:0", .network, "[::]:0", 0), ("http://192.0.2.7:1", .network, "192.0.2.7:1", 1),
    ])
  func valid(text: String, reach: DoorReach, name: String, port: Int) throws {
    let url = try queueURL(text)
    #expect(url is DoorURL)
    #expect(url.door == reach)
    #expect(url.label == QueueLabel(system: "http", name: name))
    #expect(url.needs == QueueNeeds(listenPort: port))
    #expect(url.sibling("enriched", of: text) == nil)
    #expect(url.example("enriched") == "http://127.0.0.1:8080")
  }

  @Test(
    "is nothing else",
    arguments: [
      "http:", "http://", "http:127.0.0.1:8080", "http://127.0.0.1", "http://127.0.0.1:65536",
      "http://example.com:80",
      "http://127.0.0.1:8080/v1/enrich", "http://127.0.0.1:8080?queue=a", "http://::1:80",
      "http://user@127.0.0.1:80",
      "http://127.0.0.1:+80", "http://[127.0.0.1]:80", "http://127.1:80",
    ])
  func invalid(text: String) {
    #expect(throws: QueueError.self) { try queueURL(text) }
  }

  @Test("is the same only with the same address and port") func same() throws {
    let door = try queueURL("http://127.0.0.1:8080")
    #expect(door.isSameQueue(as: try queueURL("http://localhost:8080/")))
    #expect(!door.isSameQueue(as: try queueURL("http://127.0.0.1:8081")))
    #expect(!door.isSameQueue(as: try queueURL("-")))
  }

  @Test("opens for a worker alone", arguments: [QueueUse.looking, .adding, .taking])
  func use(use: QueueUse) throws {
    let door = try queueURL("http://127.0.0.1:0")
    func open(_ queues: Queues) throws(QueueError) -> any Queue {
      try door.open(in: queues, for: use, createsFile: true)
    }
    #expect(throws: QueueError.self) { try open(Queues()) }
    guard use == .taking else {
      #expect(throws: QueueError.self) { try open(Queues(door: DoorSettings())) }
      return
    }
    #expect(try open(Queues(door: DoorSettings())) is Door)
  }

  @Test("of a queue has no door") func others() throws {
    #expect(try queueURL("sqlite:a.db").door == nil)
    #expect(try queueURL("-").door == nil)
  }
}
