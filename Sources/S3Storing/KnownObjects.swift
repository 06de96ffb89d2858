internal import Storing
internal import Supporting
internal import Synchronization

/// Objects that were in the bucket a moment ago. The store does not ask about them again, because the
/// same picture is often sent to many.
final class KnownObjects: Sendable {
  /// How many objects are kept. The first one noted is dropped first. They take 40 KB.
  static let maximum = 256
  /// How long an object counts as known. If somebody removes it in that time, the results that
  /// already name it are broken anyway.
  static let time = Duration.seconds(60)

  private let state = Mutex((objects: [String: (size: Int, end: MonotonicTime)](), names: [String]()))

  func contains(_ name: String, size: Int, at now: MonotonicTime = .now) -> Bool {
    state.withLock { $0.objects[name].map { $0.size == size && now < $0.end } ?? false }
  }

  func note(_ name: String, size: Int, at now: MonotonicTime = .now) {
    state.withLock { state in
      if state.objects.updateValue((size, now + Self.time), forKey: name) == nil { state.names.append(name) }
      if state.names.count > Self.maximum { state.objects[state.names.removeFirst()] = nil }
    }
  }
}
