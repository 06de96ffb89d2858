internal import NIOCore
internal import Synchronization

/// The open connections. One too many closes the oldest, so that a client that holds many open shuts out no
/// other.
final class Guests: Sendable {
  private let maximum: Int
  private let channels = Mutex<[any Channel]>([])

  init(maximum: Int) { self.maximum = maximum }

  func enter(_ channel: any Channel) {
    let surplus = channels.withLock { channels -> (any Channel)? in
      channels.append(channel)
      return channels.count > maximum ? channels.removeFirst() : nil
    }
    surplus?.close(promise: nil)
    channel.closeFuture.whenComplete { [self] _ in
      channels.withLock { $0.removeAll { $0 === channel } }
    }
  }
}
