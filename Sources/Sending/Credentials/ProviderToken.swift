internal import Queueing
internal import Supporting
internal import Synchronization

/// The JSON Web Token that shows APNs who is sending. All connections with a key share it, because APNs
/// refuses more than one new token in 20 minutes
/// (developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
final class ProviderToken: Sendable {
  /// APNs takes a token for an hour.
  private static let lifetime = Duration.seconds(50 * 60)
  private static let shortestLifetime = Duration.seconds(20 * 60)
  /// The time of issue of a token is rounded down to a multiple of this, in seconds since 1970. So all
  /// processes that start in the same interval, after a crash or in a fleet, have tokens with the same time
  /// of issue. It is half of the lifetime, so that a token is also renewed at a multiple, and is used for at
  /// least 25 minutes.
  private static let step = 25 * 60
  /// How often to check whether the key file has changed.
  private static let pauseBetweenLooks = Duration.seconds(1)

  private struct Token {
    let text: String
    let made: TokenClock.Time
    /// Its time of issue, in seconds since 1970.
    let issued: Int
    var isAccepted = false

    /// The time since its issue.
    func age(at now: TokenClock.Time) -> Duration {
      now.elapsed - made.elapsed + .seconds(made.epoch - issued)
    }
  }

  private struct State {
    var key: SigningKey
    /// The stamp of the file when it was last read, or could not be read.
    var stamp: FileStamp?
    var looked: Duration
    var token: Token?
    var trouble: String?
    var keyVersion = 0
  }

  private let file, keyID, teamID: String
  private let clock: TokenClock
  private let state: Mutex<State>

  /// Reads the key. Makes the token only when it is needed.
  /// - Throws: `QueueError.refused` for a wrong file or id.
  init(file: String, keyID: String, teamID: String, clock: TokenClock = .system) throws(QueueError) {
    for (name, id) in [("key-id", keyID), ("team-id", teamID)] {
      guard id.utf8.count == 10, id.utf8.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter }) else {
        throw .refused(
          "its \(name) is 10 letters and digits, not '\(id.printable)': the developer account shows it")
      }
    }
    let (key, stamp) = try SigningKey.read(file)
    (self.file, self.keyID, self.teamID, self.clock) = (file, keyID, teamID, clock)
    state = Mutex(State(key: key, stamp: stamp, looked: clock.now().elapsed))
  }

  /// Returns `bearer …`. The text stays the same until the token is renewed: 50 minutes after its issue, or
  /// when the key file has changed.
  func authorization() throws(QueueError) -> String {
    try state.withLock { (state) throws(QueueError) in
      let now = clock.now()
      look(&state, now)
      if let token = state.token, token.age(at: now) < Self.lifetime { return token.text }
      return try make(&state, now, issued: now.epoch - now.epoch % Self.step)
    }
  }

  /// Notes that APNs has accepted a push with this text.
  func accept(_ authorization: String) {
    state.withLock { if $0.token?.text == authorization { $0.token?.isAccepted = true } }
  }

  /// Makes a new token after APNs has refused this one.
  /// - Parameter isExpired: whether APNs said that it has expired. If not, only a token with a wrong time of
  ///   issue is renewed, because a new token of a wrong key would be refused, too.
  /// - Returns: whether there is a newer token. If not, it is too early, so wait.
  func renew(after authorization: String, isExpired: Bool = true) -> Bool {
    state.withLock { state in
      guard let token = state.token, token.text == authorization else { return true }
      let now = clock.now()
      let age = now.elapsed - token.made.elapsed
      // The clock was wrong when the token was made and has been set since. APNs has never accepted that
      // token.
      let isMisdated =
        !token.isAccepted && abs(now.epoch - token.made.epoch - Int(age.components.seconds)) > 60
      guard isExpired && age >= Self.shortestLifetime || isMisdated else { return false }
      return (try? make(&state, now, issued: now.epoch)) != nil
    }
  }

  /// The time since the issue of the current token. Nil before its first use.
  var age: Duration? { state.withLock { state in state.token.map { $0.age(at: clock.now()) } } }

  /// Changes with the key. A connection is bound to the key of its first push.
  var keyVersion: Int { state.withLock { $0.keyVersion } }

  /// Why the changed key file cannot be used. The old key stays in use.
  var trouble: String? { state.withLock { $0.trouble } }

  /// Reads the key file if it has changed. A new key may have a new token at once, because APNs' limit
  /// counts the tokens of one key.
  private func look(_ state: inout State, _ now: TokenClock.Time) {
    guard now.elapsed - state.looked >= Self.pauseBetweenLooks else { return }
    state.looked = now.elapsed
    let stamp = FileStamp(of: file)
    guard stamp != state.stamp || state.stamp?.isSettled == false else { return }
    do throws(QueueError) {
      let (key, stamp) = try SigningKey.read(file)
      if !key.isSame(as: state.key) {
        (state.key, state.token) = (key, nil)
        state.keyVersion += 1
      }
      (state.stamp, state.trouble) = (stamp, nil)
    } catch {
      (state.stamp, state.trouble) = (stamp, "the old key stays in use: \(error)")
    }
  }

  private func make(
    _ state: inout State, _ now: TokenClock.Time, issued: Int
  ) throws(QueueError) -> String {
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = #"{"iss":"\#(teamID)","iat":\#(issued)}"#
    let signed = [header, claims].map { BaseEncoding.base64URL.encode($0.utf8.span) }.joined(separator: ".")
    guard let signature = state.key.signature(of: Array(signed.utf8)) else {
      throw .unavailable("OpenSSL cannot sign with the key in \(file): it may have no memory")
    }
    let text = "bearer \(signed).\(BaseEncoding.base64URL.encode(signature.span))"
    state.token = Token(text: text, made: now, issued: issued)
    return text
  }
}

/// The source of the time. Tests have their own.
struct TokenClock: Sendable {
  struct Time: Sendable {
    /// A time that nobody can set, measured from any point in the past.
    let elapsed: Duration
    /// Seconds since 1970.
    let epoch: Int
  }

  let now: @Sendable () -> Time

  static let system: TokenClock = {
    let origin = ContinuousClock.now
    return TokenClock {
      Time(elapsed: ContinuousClock.now - origin, epoch: WallClock.nanoseconds / 1_000_000_000)
    }
  }()
}
