internal import Supporting

extension PushConnection {
  enum State: Equatable {
    case resolving, connecting, handshaking
    case open
    /// Opens no more streams, and ends when the last open one is closed.
    case draining
    case closed
  }

  /// Why a connection ended. The raw values are used in metrics.
  enum Ending: String, Sendable {
    /// The connection could not be opened.
    case failed
    /// The server ended it: with GOAWAY, or without.
    case goAway = "goaway"
    case reset
    /// Nothing came, not even an answer to a PING, or three pushes in a row got no answer.
    case silent
    /// This side ended it: the key or token changed, the stream ids ran out, or the process is stopping.
    case replaced
    /// The server broke the rules of HTTP/2.
    case broken
  }

  var isOpening: Bool { [.resolving, .connecting, .handshaking].contains(state) }

  /// How many more streams may be opened now.
  var room: Int {
    guard state == .open, let session else { return 0 }
    let allowed = min(isCareful ? 1 : Self.maximumStreams, session.allowed)
    // The connection's window has room for only a few payloads. More streams would only wait here.
    guard streams.isEmpty || session.room > 0 && !isBehind else { return 0 }
    return max(0, allowed - streams.count)
  }

  /// How many streams the server allows, for metrics.
  var allowed: Int { state == .open ? min(Self.maximumStreams, session?.allowed ?? 0) : 0 }

  var place: String {
    let name = "\(target.host.bracketingIPv6):\(target.port)"
    return address.isEmpty || address == target.host ? name : "\(name) (\(address))"
  }

  func unreachable(_ reason: String) -> String {
    "\(place) cannot be reached (\(reason)): check the address, and that a firewall lets TCP port \(target.port) out"
  }

  func drain(goAway code: UInt32, reason: String?) {
    let words = [reason, code == 0 ? nil : "code \(code)"].compactMap(\.self).joined(separator: ", ")
    drain(.goAway, "\(place) ended the connection\(words.isEmpty ? "" : " (\(words))")")
  }
}
