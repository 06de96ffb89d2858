internal import NIOCore
internal import Synchronization

/// The open connections. If there are too many, closes the oldest one that no route is answering,
/// so that no client can shut out the others.
final class Guests: Sendable {
  private let maximum: Int
  private let state = Mutex((guests: [(channel: any Channel, isAnswered: Bool)](), isClosed: false))

  init(maximum: Int) { self.maximum = maximum }

  func enter(_ channel: any Channel) {
    let surplus = state.withLock { state -> (any Channel)? in
      state.guests.append((channel, false))
      guard state.isClosed || state.guests.count > maximum else { return nil }
      return state.guests.firstIndex { !$0.isAnswered }.map { state.guests.remove(at: $0).channel }
    }
    surplus?.close(promise: nil)
    channel.closeFuture.whenComplete { [self] _ in
      state.withLock { $0.guests.removeAll { $0.channel === channel } }
    }
  }

  /// - Parameter isAnswered: whether a route is working on an answer to it.
  func mark(_ channel: any Channel, isAnswered: Bool) {
    state.withLock { state in
      guard let index = state.guests.firstIndex(where: { $0.channel === channel }) else { return }
      state.guests[index].isAnswered = isAnswered
    }
  }

  /// Refuses new connections, and waits for the open ones to finish. Closes the rest after `limit`.
  func leave(within limit: TimeAmount, on loop: any EventLoop) async {
    let channels = state.withLock { state in
      state.isClosed = true
      return state.guests.map(\.channel)
    }
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    let end = loop.scheduleTask(in: limit) { for channel in channels { channel.close(promise: nil) } }
    try? await EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop).get()
    end.cancel()
  }
}
