/// Leave to ask a host for a medium, or none. It is given back with the last reference to it, at the latest.
package final class HostTurn: Sendable {
  typealias ID = UInt64

  let id: ID
  private let answer: HostAnswer
  private let turns: HostTurns

  init(_ id: ID, _ answer: HostAnswer, of turns: HostTurns) {
    self.id = id
    self.answer = answer
    self.turns = turns
  }

  deinit { leave() }

  /// Whether the host is not to be asked: `Fetcher.fetch` says why.
  package var isRefused: Bool { answer != .granted }

  /// Gives it back.
  package func leave() { turns.leave(id) }

  /// Notes that a request goes out.
  /// - Throws: `FetchError.hostUnhealthy`.
  func begin(_ url: RemoteURL) throws(FetchError) -> HostTransfer {
    if case .refused(let refusal) = answer { throw .hostUnhealthy(host: url.host, refusal) }
    return try turns.begin(url, in: id)
  }
}

/// A request to a host, until its response is complete, or will not be.
final class HostTransfer: Sendable {
  let id: HostBook.TransferID
  private let turns: HostTurns

  init(_ id: HostBook.TransferID, of turns: HostTurns) {
    self.id = id
    self.turns = turns
  }

  /// Has `cancel` called when it is given up for others.
  func onGivingUp(_ cancel: @escaping @Sendable () -> Void) { turns.watch(id, cancel) }

  /// The head of the response is there.
  func answer() { turns.answer(id) }

  /// Of a body. A host that delivers less in its patience is as good as silent.
  static let bytesWorthTelling = 16_384

  /// That many bytes of its body are there that were not told of before.
  func receive(_ bytes: Int) { turns.receive(id, bytes) }

  /// It is over.
  /// - Parameter isAsked: whether the host had let it in, as far as to be asked.
  /// - Returns: why it was given up for others; nil where it was not.
  func end(_ error: FetchError?, isAsked: Bool) -> HostRefusal? {
    turns.end(id, error, isAsked: isAsked)
  }
}
