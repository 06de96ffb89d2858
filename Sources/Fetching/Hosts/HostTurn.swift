/// Leave to ask hosts for media. It is given back with the last reference to it, at the latest.
package final class HostTurn: Sendable {
  typealias ID = UInt64

  let id: ID
  let grant: HostGrant
  private let turns: HostTurns

  init(_ id: ID, _ grant: HostGrant, of turns: HostTurns) {
    self.id = id
    self.grant = grant
    self.turns = turns
  }

  deinit { leave() }

  /// How many transfers it allows at once; 0 where none of the hosts is to be asked.
  package var width: Int { grant.width }

  /// Gives it back.
  package func leave() { turns.leave(id) }

  /// Notes that a request goes out.
  /// - Throws: `FetchError.hostUnhealthy`.
  func begin(_ url: RemoteURL) throws(FetchError) -> HostTransfer {
    try turns.begin(url, in: self)
  }
}

/// A request to a host, until its answer is there, or none.
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

  /// It is over.
  /// - Returns: why it was given up for others; nil where it was not.
  func end(_ error: FetchError?) -> HostRefusal? { turns.end(id, error) }
}
