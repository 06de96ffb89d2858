import BuiltInQueueing
@testable import PushQueueing
import Queueing
import Testing

/// The URLs of push queues.
struct PushQueueURLTests {
  @Test("a path is taken as it is")
  func path() throws {
    let url = try PushQueueKind.builtIn.url("sqlite:/a b/c%20.db")
    #expect(url.needs == QueueNeeds(database: "/a b/c%20.db"))
    #expect(url.label == QueueLabel(system: "sqlite", name: "/a b/c%20.db"))
  }

  #if Redis
    @Test("a URL of Redis names the server, the database and the beginning of the keys")
    func redis() throws {
      let url = try PushQueueKind.builtIn.url("redis://user@h:7000/3/a/b?password-file=/p")
      #expect(url.needs == QueueNeeds(passwordFile: "/p", port: 7_000))
      #expect(url.label == QueueLabel(system: "redis", name: "3/a/b"))
      #expect(
        try PushQueueKind.builtIn.url("rediss://h").label == QueueLabel(system: "redis", name: "push-queue"))
    }
  #endif

  @Test(
    "a wrong URL is refused, and a right one is shown",
    arguments: [
      ("pushes.db", "it has no scheme", "sqlite:pushes.db"),
      ("redis://h/0", "a number alone is a database, and the name is missing", "redis://h/0/push-queue"),
      ("redis://h/a?group=b", "its parameters are db, password-file, not 'group'", "redis://HOST/push-queue"),
      ("sqlite:", "the path of its file is missing", "sqlite:push-queue.db"),
      ("sqlite:/tmp/", "its path must name a file, not a folder", "sqlite:/tmp/push-queue.db"),
      ("sqlite:///tmp/a.db", "its path follows sqlite: without //", "sqlite:/tmp/a.db"),
      (
        "sqlite::memory:", "its path must name a file: a queue in memory would be lost",
        "sqlite:push-queue.db"
      ),
      ("sqlite:a.db?queue=b", "it has no parameters, not 'queue'", "sqlite:a.db"),
      ("sqlite:a.db?", "it has no parameters", "sqlite:a.db"),
      (
        "amqp://h/q", "the schemes of push queues are sqlite, redis, rediss, not 'amqp'",
        "sqlite:push-queue.db, or redis://HOST/push-queue"
      ),
    ])
  func wrong(_ text: String, _ fault: String, _ right: String) {
    #expect {
      _ = try PushQueueKind.builtIn.url(text)
    } throws: { error in
      guard let error = error as? QueueError, case .urlInvalid(text, fault, right) = error.parts else {
        return false
      }
      return true
    }
  }
}

extension QueueError {
  fileprivate enum Parts { case urlInvalid(String, String, String), other }

  fileprivate var parts: Parts {
    guard case .urlInvalid(let shown, let fault, let right) = self else { return .other }
    return .urlInvalid(shown, "\(fault)", right)
  }
}
