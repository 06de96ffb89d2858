extension PushConnection {
  enum State: Equatable {
    case resolving, connecting, handshaking
    case open
    /// Opens no more streams, and ends when those that it has are closed.
    case draining
    case closed
  }

  /// Why a connection ended, as metrics name it.
  enum Ending: String, Sendable {
    /// It could not be opened.
    case failed
    /// By the server: with GOAWAY, or without.
    case goAway = "goaway"
    case reset
    /// Nothing came, not even to a PING; or three pushes in a row had no answer.
    case silent
    /// By this side: another key or token, or no stream ids any more.
    case replaced
    /// The server broke HTTP/2.
    case broken
  }
}
