internal import Supporting

/// Messages to the transfer loop. Exchanges that come after it has ended fail with the error.
typealias Inbox = Mailbox<LoopMessage, FetchError>

enum LoopMessage: Sendable {
  case start(Exchange)
  case cancel(Exchange.ID)
}
