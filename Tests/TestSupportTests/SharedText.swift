import Synchronization

/// A text that a closure can leave behind even if it throws.
final class SharedText: Sendable {
  private let storage = Mutex("")

  var text: String { storage.withLock { $0 } }

  func set(_ text: String) { storage.withLock { $0 = text } }
}
