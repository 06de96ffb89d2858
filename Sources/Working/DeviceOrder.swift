internal import Queueing
internal import Supporting
internal import Synchronization

/// Which devices wait for a message that was put off. Later messages to the same device wait behind it. Empty
/// as long as everything is sent at once.
final class DeviceOrder: Sendable {
  /// The numbers of the messages that wait, by the text of their device token.
  private let waiting = Mutex<[String: Set<Int>]>([:])

  /// Whether no earlier message to the same device waits.
  func isFirst(_ message: Message, number: Int) -> Bool {
    waiting.withLock { waiting in
      guard !waiting.isEmpty, let device = message.deviceToken, let numbers = waiting[device] else {
        return true
      }
      return numbers.allSatisfy { $0 >= number }
    }
  }

  func hold(_ message: Message, number: Int) {
    guard let device = message.deviceToken else { return }
    waiting.withLock { _ = $0[device, default: []].insert(number) }
  }

  func release(_ message: Message, number: Int) {
    waiting.withLock { waiting in
      guard !waiting.isEmpty, let device = message.deviceToken else { return }
      waiting[device]?.remove(number)
      if waiting[device]?.isEmpty == true { waiting[device] = nil }
    }
  }
}

extension Message {
  fileprivate var deviceToken: String? {
    headers.last { $0.name.isSameASCII(as: "device-token") }?.value
  }
}
