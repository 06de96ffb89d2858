internal import NIOCore
internal import Synchronization

/// The open connections. If there are too many, closes the oldest one that no route is answering,
/// so that no client can shut out the others.
///
/// All heads and trailers of requests that no route is answering yet may take 1 KB for each connection that may be
/// open. If they take more, the connection with the longest ones is closed. So one below 1 KB is never in danger.
final class Guests: Sendable {
  private struct Guest {
    let channel: any Channel
    var isAnswered = false
    /// Bytes of the complete head of its request, until a route is answering it.
    var head = 0
    /// Bytes of an incomplete head, or of trailers.
    var rest = 0

    var unanswered: Int { isAnswered ? 0 : head + rest }
  }

  private let maximum: Int
  private let state = Mutex((guests: [Guest](), isClosed: false))

  init(maximum: Int) { self.maximum = maximum }

  func enter(_ channel: any Channel) {
    let surplus = state.withLock { state -> (any Channel)? in
      state.guests.append(Guest(channel: channel))
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
    change(channel) { guest in
      guest.isAnswered = isAnswered
      guest.head = 0
    }
  }

  func setHead(of channel: any Channel, to count: Int) { change(channel) { $0.head = count } }

  /// Called after each read.
  func setRest(of channel: any Channel, to count: Int) {
    change(channel) { $0.rest = count }
    let longest = state.withLock { state -> (any Channel)? in
      guard state.guests.reduce(0, { $0 + $1.unanswered }) > maximum * 1_024 else { return nil }
      let index = state.guests.indices.max { state.guests[$0].unanswered < state.guests[$1].unanswered }
      return index.map { state.guests.remove(at: $0).channel }
    }
    longest?.close(promise: nil)
  }

  private func change(_ channel: any Channel, _ change: (inout Guest) -> Void) {
    state.withLock { state in
      guard let index = state.guests.firstIndex(where: { $0.channel === channel }) else { return }
      change(&state.guests[index])
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
