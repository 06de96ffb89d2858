import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// `work --from http://…` with real clients.
@Suite("A worker with a door", .timeLimit(.minutes(10)))
struct DoorTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"
  private static let plain = #"{ "aps":{"alert":"Ü","mutable-content":1}, "n":1.0e0 }"#

  @Test("curl gets its payload back, enriched or byte for byte, over one connection") func curl() async throws
  {
    try await withDoor { door in
      let body = door.photo()
      let text = try await door.post(
        body, "-H", "Expect: 100-continue", "-H", "apns-topic: com.example.app", "-H", "X-Trace: 7", "-w",
        "\n%{num_connects} ", door.url)
      let answers = text.split(separator: "HTTP/1.1 100 Continue\r\n\r\n").map { String($0) }
      try #require(answers.count == 2, "\(text)")
      #expect(answers[0].hasSuffix("\n1 ") && answers[1].hasSuffix("\n0 "))
      for answer in answers {
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map { String($0) }
        #expect(parts[0].hasPrefix(Self.ok))
        #expect(
          parts[0].contains("\r\napns-topic: com.example.app\r\nx-trace: 7\r\nenrich-outcome: enriched\r\n"))
        #expect(parts[0].contains(#/\r\nenrich-elapsed-ms: \d+$/#))
        #expect(isIntact(Array(parts[1].utf8.dropLast(3)), of: Array(body.utf8)))
        #expect(parts[1].contains(#""type":"public.jpeg""#))
      }
      let unmodified = try await door.post(Self.plain)
      #expect(unmodified.hasPrefix(Self.ok) && unmodified.hasSuffix("\r\n\r\n\(Self.plain)"))
      #expect(
        unmodified.contains(
          "\r\nenrich-outcome: unmodified\r\nenrich-reason: no-media\r\nenrich-elapsed-ms: "))
      #expect(!Files.exists(door.place.folder.path(of: "push-enricher.db")))
    }
  }

  @Test("an answer names the payloads that are left out") func leftOut() async throws {
    try await withDoor { door in
      let message = #"{"payload":\#(door.photo())}"#
      let none = try await door.post(message)
      #expect(none.hasPrefix(Self.ok) && !none.contains("enrich-left-out"))
      let text = door.photo().replacing("\"", with: #"\""#)
      let some = try await door.post(#"{"APNS":"\#(text)","MACOS":"{\"aps\":{}}","APNS_VOIP":"{"}"#)
      #expect(
        some.contains(
          "\r\nenrich-outcome: enriched\r\nenrich-left-out: 2 of 3: APNS_VOIP invalid-payload, MACOS not-mutable\r\nenrich-elapsed-ms: "
        ), "\(some)")
    }
  }

  /// Several threads, with one session each. Every second request is chunked.
  private static let sessions = """
    import requests, sys, threading
    url, payload = f'http://127.0.0.1:{sys.argv[1]}/v1/enrich', sys.argv[2].encode()
    def talk():
        session = requests.Session()
        for number in range(20):
            data = payload if number % 2 else (payload[at:at + 50] for at in range(0, len(payload), 50))
            answer = session.post(url, data=data, headers={'x-number': str(number)}, timeout=30)
            assert answer.headers['x-number'] == str(number)
            print(answer.status_code, answer.headers['enrich-outcome'], answer.content.startswith(payload[:-1]))
    threads = [threading.Thread(target=talk) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    """

  @Test("sessions of Python requests get all of theirs, chunked or not") func requests() async throws {
    try await withDoor { door in
      let lines = try await door.python(Self.sessions, door.photo())
      #expect(lines == [String](repeating: "200 enriched True", count: 160))
    }
  }

  /// Many requests at once, each over a connection of its own.
  private static let crowd = """
    import requests, sys, threading
    url, payload, count = f'http://127.0.0.1:{sys.argv[1]}/v1/enrich', sys.argv[2].encode(), int(sys.argv[3])
    start = threading.Barrier(count)
    def talk():
        start.wait()
        answer = requests.post(url, data=payload, timeout=40)
        print(f"{answer.status_code} {answer.headers.get('retry-after')}\\n", end='')
    threads = [threading.Thread(target=talk) for _ in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    """

  @Test("of 200 requests at once, 64 have places, and all have an answer") func crowd() async throws {
    try await withDoor(["--status", "127.0.0.1:0"]) { door in
      let latch = Latch()
      async let answers = door.python(Self.crowd, door.photo(heldBy: latch), "200")
      #expect(
        try await eventually {
          try await door.metrics().contains("\npush_enricher_door_answers_total{status=\"503\"} 136\n")
        })
      latch.open()
      let lines = try await answers
      #expect(lines.count == 200)
      #expect(Set(lines) == ["200 None", "503 1"])
      #expect(lines.count { $0 == "200 None" } == 64, "\(lines.count { $0 == "200 None" })")
      #expect(try await door.post(door.photo()).hasPrefix(Self.ok))
    }
  }

  /// Clients that send the head and half of a body, and no more.
  private static let slow = """
    import socket, sys, time, urllib.request
    port, payload = int(sys.argv[1]), sys.argv[2].encode()
    head = b'POST /v1/enrich HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(payload)
    slow = []
    for number in range(100):
        client = socket.create_connection(('127.0.0.1', port))
        client.sendall(head + payload[:len(payload) // 2])
        slow.append(client)
    answer = urllib.request.urlopen(f'http://127.0.0.1:{port}/v1/enrich', payload, 20)
    print(answer.status, answer.headers['enrich-outcome'])
    for byte in payload[len(payload) // 2:]:
        slow[0].sendall(bytes([byte]))
        time.sleep(0.01)
    print(slow[0].recv(12).decode())
    """

  @Test("slow senders take no places, and have their answers in the end") func slow() async throws {
    try await withDoor(["--concurrency", "2"]) { door in
      let lines = try await door.python(Self.slow, door.photo())
      #expect(lines == ["200 enriched", "HTTP/1.1 200"])
    }
  }

  @Test("64 KB come back, and a byte more is refused") func sizes() async throws {
    try await withDoor { door in
      func body(_ size: Int) -> String {
        let front =
          #"{"aps":{"alert":"Look!","mutable-content":1},"media":{"url":"https://a.example/"},"rest":""#
        return front + String(repeating: "a", count: size - front.utf8.count - 2) + "\"}"
      }
      for options in ["Transfer-Encoding: chunked", "Content-Type: application/json"] {
        let whole = try await door.post(body(65_536), "-H", options)
        #expect(
          whole.contains("\r\nenrich-reason: payload-too-large\r\n")
            && whole.hasSuffix("\r\n\r\n\(body(65_536))"))
        #expect(try await door.post(body(65_537), "-H", options).hasPrefix("HTTP/1.1 413 "))
      }
    }
  }

  /// Sends requests, and cuts each connection once the door has asked for its media, which this script does not
  /// send. Some cuts are a reset. Then waits until the download has ended, too.
  private static let cuts = """
    import socket, struct, sys
    port, payload, count = int(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3])
    media = socket.create_server(('127.0.0.1', int(sys.argv[4])))
    head = b'POST /v1/enrich HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(payload)
    for number in range(count):
        client = socket.create_connection(('127.0.0.1', port))
        client.sendall(head + payload)
        download, _ = media.accept()
        download.settimeout(20)  # Shorter than the deadline.
        assert download.recv(4096).startswith(b'GET ')
        if number % 2: client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()
        assert download.recv(4096) == b''
    """

  @Test("a client that goes away ends the download, and leaves nothing behind") func cuts() async throws {
    let port = freePort()
    try await withDoor(["--concurrency", "2", "--status", "127.0.0.1:0", "--allow-port", "\(port)"]) { door in
      #expect(try await door.post(door.photo()).hasPrefix(Self.ok))
      let before = try door.descriptors()
      let body = door.payload(naming: "http://127.0.0.1:\(port)/a.jpg")
      _ = try await door.python(Self.cuts, body, "100", "\(port)")
      #expect(try await door.post(door.photo()).hasPrefix(Self.ok))
      #expect(try await eventually { try door.descriptors() <= before })
      let origin = try door.statusOrigin
      let metrics = try await fetch(origin, "/metrics")
      #expect(metrics.contains("\npush_enricher_door_answers_total{status=\"499\"} 100\n"))
      #expect(metrics.contains("\npush_enricher_door_answers_total{status=\"200\"} 2\n"))
      #expect(metrics.contains("\npush_enricher_in_flight_messages 0\n"))
      #expect(
        metrics.contains(
          #"{messaging_system="http",messaging_destination_name="127.0.0.1:0",state="on-lease"} 0"#))
      #expect(try await fetch(origin, "/readyz") == "ready\n200")
      let address = String(origin.dropFirst("http://".count))
      #expect(try await PushEnricher.run(["healthcheck", "--status", address]).exitStatus == 0)
    }
  }

  @Test("a worker that is told to stop answers what it has taken, and 503 to others") func drain()
    async throws
  {
    try await withDoor { door in
      let latch = Latch()
      async let first = door.post(door.photo(heldBy: latch))
      let behaviour = Behaviour.held(by: latch, .serve(.file("photo.jpg", "image/jpeg")))
      #expect(await eventually { door.place.server.tally(of: behaviour).requests == 1 })
      try door.signal(SIGTERM)
      let isClosed = try await eventually {
        let answer = try await door.post(door.photo())
        return answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\r\nRetry-After: 1\r\n")
      }
      #expect(isClosed)
      latch.open()
      #expect(try await first.contains("\r\nenrich-outcome: enriched\r\n"))
      #expect(await eventually { door.daemon.hasEnded })
    }
  }

  @Test("a host that is silent costs no client more than the deadline") func deadline() async throws {
    try await withDoor(["--deadline", "5s"]) { door in
      let answer = try await door.post(door.payload(naming: door.place.server.url(.silent)))
      #expect(answer.hasPrefix(Self.ok) && answer.contains("\r\nenrich-outcome: unmodified\r\n"))
      #expect(answer.contains(#/\r\nenrich-elapsed-ms: (49|[5-9]\d)\d\d\r\n/#), "\(answer)")
    }
  }

  #if Redis
    @Test("with a queue, the answer comes once the result is safe there, or says that it is not in time")
    func redis() async throws {
      try await withWorkplace(mortal: .redis) { place, broker in
        try await withDoor(["--to", place.url("enriched"), "--deadline", "8s"]) { door in
          let answer = try await door.post(door.photo(), "-H", "apns-topic: a", "-H", "X-Id: 1")
          #expect(answer.hasPrefix("HTTP/1.1 202 Accepted\r\n"))
          #expect(answer.contains("\r\nenrich-outcome: enriched\r\n") && answer.hasSuffix("\r\n\r\n"))
          let results = try await place.contents("enriched")
          #expect(results.count == 1)
          #expect(results.first?.header("x-id") == "1" && results.first?.header("apns-topic") == "a")
          #expect(isIntact(results.first?.body ?? [], of: Array(door.photo().utf8)))
          try await broker.withOutage {
            let late = try await door.post(door.photo())
            #expect(late.hasPrefix("HTTP/1.1 503 "))
          }
          #expect(
            try await eventually { try await door.post(door.photo()).hasPrefix("HTTP/1.1 202 ") })
        }
      }
    }
  #endif

  @Test("needs its token, exactly") func token() async throws {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array("s3cret-s3cret\n".utf8), to: "token", mode: 0o600)
      try await withDoor(["--door-token-file", file]) { door in
        for token in ["", "s3cret-s3cre", "s3cret-s3crets", "S3cret-s3cret", "s3cret-s3cret"] {
          let answer = try await door.post(door.photo(), "-H", "Authorization: Bearer \(token)")
          let isRight = token == "s3cret-s3cret"
          #expect(answer.hasPrefix(isRight ? Self.ok : "HTTP/1.1 401 "), "\(token): \(answer)")
        }
        #expect(try await door.post(door.photo()).contains("\r\nWWW-Authenticate: Bearer\r\n"))
        #expect(
          try await door.post(door.photo(), "-H", "authorization: bearer s3cret-s3cret").hasPrefix(Self.ok))
      }
    }
  }

  @Test(
    "options that do not go with a door are refused before it opens",
    arguments: [
      (["--until-empty"], "--until-empty: a door is never empty"),
      (
        ["--from", "http://0.0.0.0:0"],
        "--from http://0.0.0.0:0: others can reach this address: give --door-token-file"
      ),
      (["--from", "http://[::]:0"], "--from http://[::]:0: others can reach this address"),
      (["--to", "http://127.0.0.1:0"], "--to http://127.0.0.1:0: this is the queue that --from names"),
      (
        ["--from", "sqlite:a.db", "--to", "sqlite:b.db", "--door-token-file", "TOKEN"],
        "--door-token-file: there is no door"
      ),
      (["--door-token-file", "/nowhere"], "--door-token-file: the token file /nowhere cannot be read"),
      (
        ["--door-token-file", "OPEN"],
        "--door-token-file: the token file OPEN is refused: users other than its owner"
      ),
    ])
  func options(words: [String], message: String) async throws {
    try await withTemporaryDirectory { folder in
      let token = try folder.write(Array("s3cret".utf8), to: "token", mode: 0o600)
      let open = try folder.write(Array("s3cret".utf8), to: "open", mode: 0o644)
      let from = words.contains("--from") ? [] : ["--from", "http://127.0.0.1:0"]
      let run = try await PushEnricher.run(
        ["work", "--store", folder.path] + from + words.map { ["TOKEN": token, "OPEN": open][$0] ?? $0 })
      #expect(run.exitStatus == 64)
      #expect(
        run.standardError.hasPrefix("push-enricher: \(message.replacing("OPEN", with: open))"),
        "\(run.standardError)")
    }
  }

  @Test("other commands have no doors", arguments: [["enqueue", "--to"], ["dequeue", "--from"]])
  func commands(words: [String]) async throws {
    let run = try await PushEnricher.run(words + ["http://127.0.0.1:0"])
    #expect(run.exitStatus == 69)
    #expect(run.standardError.contains("a door is for --from of work alone"))
  }
}
