internal import Supporting

/// Messages to the thread of the exchanges.
typealias Inbox = Mailbox<ExchangeMessage, Void>

enum ExchangeMessage: Sendable {
  case begin(Exchange)
  case giveUp(Exchange)
}

extension Inbox {
  /// Takes the exchange back if the thread has not seen it. While a disk holds the thread up, such
  /// exchanges must not pile up with their open spools.
  func giveUp(_ exchange: Exchange) {
    let isTakenBack = withdraw { if case .begin(let other) = $0 { other === exchange } else { false } }
    if !isTakenBack { send(.giveUp(exchange)) }
  }
}
