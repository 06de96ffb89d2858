import DeviceAPI
import PushQueueing
import Queueing
import Synchronization
import TestSupport
import Testing

/// Every answer of the API, as curl gets it.
@Suite("Answers of the device API", .timeLimit(.minutes(5)))
struct AnswerTests {
  @Test("202: how many are sent again, and how many never will be, by why") func resending() async throws {
    var device = FakePushQueue.Device()
    (device.rejected, device.expired, device.superseded) = ([30], [31, 32], [33, 34, 35])
    try await withAPI(FakePushQueue([.known: device])) { site in
      // The device has seen 38 and 39.
      let answer = try await site.post("/v1/missed", #""count":10,"seen":7"#)
      #expect(answer.status == 202)
      #expect(answer.field("Content-Type") == "application/json")
      #expect(
        answer.body == #"{"resending":2,"rejected":1,"expired":2,"superseded":3,"gone":0,"replaced":0}"#)
      #expect(site.queue[.known]?.resent == [36: 1, 37: 1])
    }
  }

  @Test("200: a receipt is noted, and some positions will never come") func gone() async throws {
    var device = FakePushQueue.Device()
    device.holes = Holes(gone: 1 << 52 | 2, superseded: 4)
    try await withAPI(FakePushQueue([.known: device])) { site in
      let answer = try await site.post("/v1/receipts", #""seen":1"#)
      #expect(answer.status == 200)
      #expect(answer.field("Content-Type") == "application/json")
      #expect(answer.body == #"{"gone":4503599627370498,"replaced":4}"#)
    }
  }

  @Test("204: nothing is left to send, or a receipt is noted; without a body") func done() async throws {
    try await withAPI { site in
      for (path, rest) in [
        ("/v1/missed", #""count":3,"seen":15"#),
        ("/v1/receipts", #""seen":"18446744073709551615","summarized":4"#),
      ] {
        let answer = try await site.post(path, rest)
        #expect(answer.status == 204)
        #expect(answer.body == "" && answer.field("Content-Length") == nil)
      }
      let receipt = PushReceipt(device: .known, epoch: 7, last: 40, seen: .max, summarized: 4)
      #expect(site.queue[.known]?.receipts == [receipt])
    }
  }

  @Test("400: what is wrong with the body") func malformed() async throws {
    try await withAPI { site in
      let ticket = site.ticket(.known)
      let cut = try await site.post("/v1/missed", body: #"{"app":"#, ticket: ticket)
      #expect(cut.status == 400)
      #expect(
        cut.body == "the body: line 1, column 8 (byte 7): found the end of the text, expected a value\n")
      let missing = try await site.post("/v1/receipts", #""count":3"#)
      #expect(missing.status == 400)
      #expect(
        missing.body
          == "the body: “seen” has to be an integer from 0 to 18446744073709551615, or a string of its decimal digits\n"
      )
      #expect(site.queue.calls == 0)
    }
  }

  @Test("401: the same whether there is such a device or not, and the queue is not asked")
  func foreign() async throws {
    try await withAPI { site in
      var answers: Set<String> = []
      for path in ["/v1/missed", "/v1/receipts"] {
        for device in [AppDevice.known, .other, .unknown] {
          for ticket in ["", "x", site.ticket(.other, last: 41), site.ticket(.known, e: 8)] {
            let answer = try await site.post(path, from: device, ticket: ticket)
            #expect(answer.status == 401)
            // Without a ticket, the connection ends before the body is read.
            if !ticket.isEmpty { answers.insert(answer.description) }
          }
        }
      }
      #expect(answers.count == 1)
      let scheme = try await site.curl(
        "/v1/missed", ["-d", "{}", "-H", "Authorization: Basic \(site.ticket(.known))"])
      #expect(scheme.status == 401 && scheme.field("WWW-Authenticate") == "Bearer")
      #expect(site.queue.calls == 0)
    }
  }

  @Test("404: the device is unknown, which only the owner of a ticket learns; 409: another epoch")
  func unknown() async throws {
    try await withAPI { site in
      for path in ["/v1/missed", "/v1/receipts"] {
        let stranger = try await site.post(path, from: .unknown)
        let former = try await site.post(path, e: 6)
        #expect(stranger.status == 404 && former.status == 409)
      }
    }
  }

  @Test("413: more than 100 pushes, or more than 1 KB") func large() async throws {
    try await withAPI { site in
      let many = try await site.post("/v1/missed", #""count":101,"seen":1"#)
      #expect(many.status == 413 && many.body == "at most 100 pushes can be asked for at once\n")
      for path in ["/v1/missed", "/v1/receipts"] {
        let long = String(repeating: "x", count: 1_000)
        let full = try await site.post(path, #""count":100,"seen":18446744073709551615,"x":"\#(long)""#)
        #expect(full.status == 413 && full.field("Connection") == "close")
        let chunked = try await site.post(
          path, #""count":3,"seen":"0","x":"\#(long)""#, options: ["-H", "Transfer-Encoding: chunked"])
        #expect(chunked.status == 413)
      }
    }
  }

  @Test(
    "429: when the device may ask again, in whole seconds",
    arguments: [(1, "1"), (1_000, "1"), (1_001, "2"), (3_600_000, "3600")])
  func often(wait: Int64, seconds: String) async throws {
    var device = FakePushQueue.Device()
    device.pause = 1_000_000 + wait
    try await withAPI(FakePushQueue([.known: device])) { site in
      for path in ["/v1/missed", "/v1/receipts"] {
        let answer = try await site.post(path)
        #expect(answer.status == 429 && answer.field("Retry-After") == seconds)
      }
    }
  }

  @Test("503: the queue is away; the operator is told once, and the device gets no details")
  func away() async throws {
    let queue = FakePushQueue([.known: .init()])
    queue.state.withLock { $0.failure = .unavailable("redis is away") }
    let notes = Notes()
    try await withAPI(queue, { settings in settings.warn = { notes.add($0) } }) { site in
      for path in ["/v1/missed", "/v1/receipts"] {
        let answer = try await site.post(path)
        #expect(answer.status == 503 && answer.field("Retry-After") == "10")
        #expect(!answer.body.contains("redis"))
      }
    }
    #expect(notes.all == ["the push queue does not answer devices: redis is away"])
  }

  @Test("503: so many calls of the queue are under way; room is made by their answers") func busy()
    async throws
  {
    let queue = FakePushQueue(closed: [.known: .init()])
    try await withAPI(queue, { $0.calls = 2 }) { site in
      async let first = site.post("/v1/receipts")
      async let second = site.post("/v1/receipts")
      #expect(await eventually { queue.calls == 2 })
      let third = try await site.post("/v1/receipts")
      #expect(third.status == 503 && third.field("Retry-After") == "1")
      #expect(queue.calls == 2)
      queue.gate.open()
      let statuses = try await [first.status, second.status]
      #expect(statuses == [204, 204])
      for _ in 0..<3 { #expect(try await site.post("/v1/receipts").status == 204) }
    }
  }

  @Test("a replayed request gets the same answer, and has its effect once") func replay() async throws {
    try await withAPI { site in
      var answers: Set<String> = []
      for _ in 0..<5 { answers.insert(try await site.post("/v1/missed").description) }
      #expect(answers.count == 1 && answers.first?.contains(#"{"resending":3,"#) == true)
      #expect(site.queue[.known]?.resent == [37: 1, 38: 1, 39: 1])
    }
  }

  @Test("other methods, paths and versions; any host that the device names") func others() async throws {
    let statuses = Notes()
    try await withAPI(
      FakePushQueue([.known: .init()]), { settings in settings.answered = { statuses.add("\($0)") } }
    ) { site in
      let get = try await site.curl("/v1/missed", [])
      #expect(get.status == 405 && get.field("Allow") == "POST")
      #expect(try await site.curl("/v1/missed", ["--head"]).status == 405)
      #expect(try await site.post("/v1/missed/").status == 404)
      #expect(try await site.curl("/", []).status == 404)
      let old = try await site.post("/v1/missed", options: ["--http1.0"])
      #expect(old.status == 202 && old.field("Connection") == "close")
      let host = try await site.post("/v1/missed", options: ["-H", "Host: push.example.com"])
      #expect(host.status == 202 && host.field("Connection") == nil)
    }
    #expect(statuses.all == ["405", "405", "404", "404", "202", "202"])
  }
}

final class Notes: Sendable {
  private let list = Mutex<[String]>([])

  var all: [String] { list.withLock { $0 } }
  func add(_ note: String) { list.withLock { $0.append(note) } }
}
