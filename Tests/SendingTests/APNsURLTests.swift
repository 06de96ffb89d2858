import Queueing
import TestSupport
import Testing

@testable import Sending

@Suite("URLs of APNs")
struct APNsURLTests {
  private static let login = "key=k.p8&key-id=abc123defg&team-id=DEF123GHIJ"

  @Test("name the host, the key and the limits") func parts() throws {
    let url = try APNsURL(
      "apns://api.push.apple.com?\(Self.login)&topic=com.example.app&connections=2&rate=50")
    #expect((url.host, url.port, url.topic) == ("api.push.apple.com", 443, "com.example.app"))
    #expect(url.login == .key(file: "k.p8", id: "ABC123DEFG", team: "DEF123GHIJ"))
    #expect((url.connections, url.rate) == (2, 50))
    #expect(url.needs == QueueNeeds(passwordFile: "k.p8", port: 443))
    #expect(url.label == QueueLabel(system: "apns", name: "api.push.apple.com"))
    let other = try APNsURL("apns://[::1]:2197/?certificate=c.pem")
    #expect((other.host, other.port, other.login) == ("::1", 2197, .certificate(file: "c.pem")))
    #expect(other.needs == QueueNeeds(passwordFile: "c.pem", port: 2197))
    #expect(!url.isSameQueue(as: other) && url.isSameQueue(as: url))
  }

  @Test(
    "that are wrong say which part",
    arguments: [
      (
        "apns://host",
        "its parameter key is missing, the file of a signing key (.p8), and so is certificate, the file of a certificate"
      ),
      (
        "apns://host?key=k&key-id=ABC&team-id=DEF123GHIJ",
        "its parameter key-id has ten letters and digits, as in Apple's developer account"
      ),
      (
        "apns://host?key=k&team-id=DEF123GHIJ",
        "its parameter key-id is missing: the id of the key, ten letters and digits, in Apple's developer account"
      ),
      (
        "apns://host?key=k&key-id=ABC123DEFG",
        "its parameter team-id is missing: the id of the team, ten letters and digits, in Apple's developer account"
      ),
      (
        "apns://host?\(login)&password-file=p",
        "its parameters are key, key-id, team-id, certificate, topic, connections, rate, not 'password-file'"
      ),
      ("apns://host?certificate=c&key=k", "it has a key or a certificate, and not both"),
      ("apns://host?\(login)&connections=9", "its parameter connections is a number from 1 to 8, not '9'"),
      ("apns://host?\(login)&rate=0", "its parameter rate is a number from 1 to 1000000, not '0'"),
      (
        "apns://host?\(login)&topic=com.example.app%0A",
        "its parameter topic is a bundle id, like com.example.app, not "
      ),
      ("apns://u@host?\(login)", "it has no user and no password: APNs takes a key, or a certificate"),
      ("apns://host/3/device?\(login)", "it has no path"),
    ])
  func wrong(_ text: String, _ rule: String) throws {
    let error = #expect(throws: QueueError.self) { try APNsURL(text) }
    guard case .urlInvalid(_, let fault, let right)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect("\(fault)".hasPrefix(rule), "\(fault)")
    #expect(error?.description.contains("' is not a valid URL: \(rule)") == true)
    #expect(right == APNsURL.right)
  }

  @Test("show the path of the key in messages, which is no secret") func shown() {
    #expect("apns://host?\(Self.login)".withoutPassword == "apns://host?\(Self.login)")
  }

  @Test("open as a target only, with a key that can be read") func opening() async throws {
    try await withSigningKey { key in
      let url = try APNsURL("apns://127.0.0.1:1?key=\(key)&key-id=ABC123DEFG&team-id=DEF123GHIJ")
      #expect(throws: QueueError.refused("APNs is a target: name it with --to, and take from a queue")) {
        try url.open(in: Queues(), for: .taking, createsFile: true)
      }
      _ = try url.open(in: Queues(), for: .adding, createsFile: true)
      let missing = try APNsURL("apns://127.0.0.1:1?key=\(key).no&key-id=ABC123DEFG&team-id=DEF123GHIJ")
      #expect(throws: QueueError.self) { try missing.open(in: Queues(), for: .adding, createsFile: true) }
    }
  }
}
