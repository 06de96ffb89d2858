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

  @Test(
    "a wrong URL is refused, and a right one is shown",
    arguments: [
      ("pushes.db", "it has no scheme", "sqlite:pushes.db"),
      ("sqlite:", "the path of its file is missing", "sqlite:push-queue.db"),
      ("sqlite:/tmp/", "its path must name a file, not a folder", "sqlite:/tmp/push-queue.db"),
      ("sqlite:///tmp/a.db", "its path follows sqlite: without //", "sqlite:/tmp/a.db"),
      (
        "sqlite::memory:", "its path must name a file: a queue in memory would be lost",
        "sqlite:push-queue.db"
      ),
      ("sqlite:a.db?queue=b", "it has no parameters, not 'queue'", "sqlite:a.db"),
      ("sqlite:a.db?", "it has no parameters", "sqlite:a.db"),
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
