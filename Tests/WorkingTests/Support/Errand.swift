import Misbehaving
import Queueing
import TestSupport
import Testing

/// A message for the worker, and its expected outcome.
struct Errand: Sendable {
  enum Fate: Equatable, Sendable {
    /// Enriched, with an attachment of this type.
    case enriched(String)
    case unmodified(String)
    /// Its host is silent: the deadline passed, or the host was considered unhealthy.
    case unanswered
  }

  let message: Message
  let fate: Fate

  init(_ number: Int, _ body: String, _ fate: Fate) {
    message = Message(
      id: "m\(number)", body: Array(body.utf8),
      headers: [
        Header("apns-topic", "com.example.app"), Header("n", "\(number)"), Header("tag", "a"),
        Header("tag", "b"),
      ])
    self.fate = fate
  }

  /// A message that names a medium. The payload is a little longer than `size` bytes.
  init(_ number: Int, naming url: String, size: Int = 0, _ fate: Fate) {
    let text = "Hello \(number)" + String(repeating: "o", count: size)
    self.init(number, #"{"aps":{"alert":"\#(text)","mutable-content":1},"media":{"url":"\#(url)"}}"#, fate)
  }

  /// Whether it also goes to the dead letters.
  var isDeadLetter: Bool { fate == .unmodified("invalid-payload") }

  /// All sorts of payloads, as people send them.
  static func mixed(_ count: Int, _ server: HostileServer) -> [Errand] {
    (0..<count).map { number in
      switch number % 10 {
      case 0, 1:
        Errand(number, naming: server.url(.serve(.file("photo.jpg", "image/jpeg"))), .enriched("public.jpeg"))
      case 2:
        Errand(number, naming: server.url(.serve(.file("sound.mp3", "audio/mpeg"))), .enriched("public.mp3"))
      case 3:
        Errand(number, naming: server.url(.serve(Response(status: 404))), .unmodified("http-status"))
      case 4:
        Errand(
          number, naming: server.url(.serve(.file("page.html", "image/jpeg"))),
          .unmodified("type-unsupported"))
      case 5: Errand(number, naming: "http://10.0.0.1/a.jpg", .unmodified("address-blocked"))
      case 6: Errand(number, #"{"aps":{"alert":"n\#(number)"}}"#, .unmodified("not-mutable"))
      case 7:
        Errand(
          number, #"{ "aps":{"alert":"Ü","mutable-content":1}, "n":\#(number).0e0 }"#, .unmodified("no-media")
        )
      case 8: Errand(number, #"{"aps":{"alert":"cut off \#(number)"#, .unmodified("invalid-payload"))
      default: Errand(number, "[\(number)]", .unmodified("invalid-payload"))
      }
    }
  }

  /// Photos that all arrive after this delay.
  static func photos(_ numbers: Range<Int>, _ server: HostileServer, late delay: Duration) -> [Errand] {
    let url = server.url(.late(by: delay, .serve(.file("photo.jpg", "image/jpeg"))))
    return numbers.map { Errand($0, naming: url, .enriched("public.jpeg")) }
  }

  /// Photos. After this many requests, each arrives only once the test has opened `latch`.
  static func photos(
    _ numbers: Range<Int>, _ server: HostileServer, heldBy latch: Latch, after count: Int
  ) -> [Errand] {
    let photo = Behaviour.serve(.file("photo.jpg", "image/jpeg"))
    let url = server.url(.failing(first: count, by: photo, then: .held(by: latch, photo)))
    return numbers.map { Errand($0, naming: url, .enriched("public.jpeg")) }
  }
}

extension Response {
  /// A file of Fixtures/media.
  static func file(_ name: String, _ type: String) -> Response {
    Response(.file("\(Fixtures.media)/\(name)"), as: type)
  }
}

/// Whether `body` is `original`, unchanged or with nothing but attachments after its last member.
func isIntact(_ body: [UInt8], of original: [UInt8]) -> Bool {
  body == original
    || (body.starts(with: original.dropLast() + Array(#","attachments":[{"identifier":""#.utf8))
      && body.suffix(3) == Array("}]}".utf8)[...])
}

/// Expects this result of the errand, including its headers.
func expect(
  _ result: Message, of errand: Errand, sourceLocation: SourceLocation = #_sourceLocation
) {
  let payload = "payload \(errand.message.id)"
  let own = result.headers.filter { $0.name.hasPrefix("enrich-") }.sorted()
  let verdict = own.filter { $0.name != "enrich-elapsed-ms" }
  let elapsed = result.header("enrich-elapsed-ms").flatMap { Int($0) } ?? -1
  #expect(
    (0...30_000).contains(elapsed), "\(payload): has a result within 30 s", sourceLocation: sourceLocation)
  #expect(
    // RabbitMQ sorts the headers of a message that it delivers again. The tests of the queues check
    // that the other brokers keep the order.
    result.headers.sorted() == (errand.message.headers + own).sorted(),
    "\(payload): keeps the headers of its sender",
    sourceLocation: sourceLocation)
  switch errand.fate {
  case .enriched(let type):
    #expect(
      verdict == [Header("enrich-outcome", "enriched")], "\(payload): is enriched",
      sourceLocation: sourceLocation)
    #expect(
      result.body != errand.message.body, "\(payload): has attachments", sourceLocation: sourceLocation)
    #expect(
      isIntact(result.body, of: errand.message.body), "\(payload): is unchanged but for its attachments",
      sourceLocation: sourceLocation)
    #expect(
      String(decoding: result.body, as: UTF8.self).contains(#","type":"\#(type)","size":"#),
      "\(payload): has an attachment of type \(type)",
      sourceLocation: sourceLocation)
  case .unanswered:
    #expect(
      ["deadline-exceeded", "host-unhealthy"].contains(result.header("enrich-reason")),
      "\(payload): gives up on a silent host",
      sourceLocation: sourceLocation)
    #expect(
      result.body == errand.message.body, "\(payload): goes out byte for byte", sourceLocation: sourceLocation
    )
  case .unmodified(let reason):
    #expect(
      verdict == [Header("enrich-outcome", "unmodified"), Header("enrich-reason", reason)],
      "\(payload): is unmodified because of \(reason)",
      sourceLocation: sourceLocation)
    #expect(
      result.body == errand.message.body, "\(payload): goes out byte for byte", sourceLocation: sourceLocation
    )
  }
}

extension [Header] {
  fileprivate func sorted() -> [Header] { sorted { ($0.name, $0.value) < ($1.name, $1.value) } }
}
