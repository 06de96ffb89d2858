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
    /// Counts the connections in their order.
    let number: Int
    var isAnswered = false
    /// Bytes of the complete head of its request, until a route is answering it.
    var head = 0
    /// Bytes of an incomplete head, or of trailers.
    var rest = 0

    var unanswered: Int { isAnswered ? 0 : head + rest }
  }

  private struct State {
    var guests: [ObjectIdentifier: Guest] = [:]
    /// The sum over all guests.
    var unanswered = 0
    /// The number of the last guest.
    var last = 0
    var isClosed = false

    mutating func change(_ channel: any Channel, _ change: (inout Guest?) -> Void) {
      let id = ObjectIdentifier(channel)
      unanswered -= guests[id]?.unanswered ?? 0
      change(&guests[id])
      unanswered += guests[id]?.unanswered ?? 0
    }

    mutating func remove(_ guest: Guest) -> any Channel {
      change(guest.channel) { $0 = nil }
      return guest.channel
    }
  }

  private let maximum: Int
  private let state = Mutex(State())

  init(maximum: Int) { self.maximum = maximum }

  func enter(_ channel: any Channel) {
    let surplus = state.withLock { state -> (any Channel)? in
      state.last += 1
      state.guests[ObjectIdentifier(channel)] = Guest(channel: channel, number: state.last)
      guard state.isClosed || state.guests.count > maximum else { return nil }
      let oldest = state.guests.values.filter { !$0.isAnswered }.min { $0.number < $1.number }
      return oldest.map { state.remove($0) }
    }
    surplus?.close(promise: nil)
    channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.change(channel) { $0 = nil } } }
  }

  /// - Parameter isAnswered: whether a route is working on an answer to it.
  func mark(_ channel: any Channel, isAnswered: Bool) {
    change(channel) { guest in
      guest?.isAnswered = isAnswered
      guest?.head = 0
    }
  }

  func setHead(of channel: any Channel, to count: Int) { change(channel) { $0?.head = count } }

  /// Called after each read.
  func setRest(of channel: any Channel, to count: Int) {
    let longest = state.withLock { state -> (any Channel)? in
      state.change(channel) { $0?.rest = count }
      guard state.unanswered > maximum * 1_024 else { return nil }
      return state.guests.values.max { $0.unanswered < $1.unanswered }.map { state.remove($0) }
    }
    longest?.close(promise: nil)
  }

  private func change(_ channel: any Channel, _ change: (inout Guest?) -> Void) {
    state.withLock { $0.change(channel, change) }
  }

  /// Refuses new connections, and waits for the open ones to finish. Closes the rest after `limit`.
  func leave(within limit: TimeAmount, on loop: any EventLoop) async {
    let channels = state.withLock { state in
      state.isClosed = true
      return state.guests.values.map(\.channel)
    }
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    let end = loop.scheduleTask(in: limit) { for channel in channels { channel.close(promise: nil) } }
    try? await EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop).get()
    end.cancel()
  }
}
