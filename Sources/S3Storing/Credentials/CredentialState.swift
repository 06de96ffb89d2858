internal import Supporting

/// The state of a `CredentialChain`. Times are in seconds since 1970.
struct CredentialState {
  typealias Waiting = Waiter<Result<Credentials, CredentialError>>

  /// Credentials are renewed this many seconds before they expire.
  private static let margin: Int64 = 300
  /// The time between two attempts, in seconds.
  private static let pause: Int64 = 5

  /// The callers that wait for the renewal.
  var waiting: [ObjectIdentifier: Waiting] = [:]
  private(set) var isRenewing = false
  private var held: Credentials?
  private var lastAttempt: (time: Int64, error: CredentialError?)?
  private var lastRejection: Int64?
  private var hasWarned = false

  func valid(at now: Int64) -> Credentials? { held.flatMap { $0.isValid(at: now) ? $0 : nil } }

  /// Whether valid credentials end soon, and it is time for an attempt.
  func isToBeRenewed(at now: Int64) -> Bool {
    valid(at: now).map { !$0.isValid(at: now + Self.margin) && !isPausing(now) } ?? false
  }

  /// Whether the source was asked a moment ago because of a rejection, and gave these credentials again.
  func isConfirmed(at now: Int64) -> Bool {
    !isRenewing && lastAttempt?.error == nil && isPausing(now, since: lastRejection)
  }

  /// Notes that the source is asked because its credentials were rejected.
  mutating func noteRejection(at now: Int64) { lastRejection = now }

  /// Why the last attempt failed, unless it is time for another one.
  func recentError(at now: Int64) -> CredentialError? {
    !isRenewing && isPausing(now) ? lastAttempt?.error : nil
  }

  /// - Returns: false if another renewal is running.
  mutating func beginRenewal() -> Bool {
    if isRenewing { return false }
    isRenewing = true
    return true
  }

  /// - Returns: the callers that wait for its result.
  mutating func endRenewal() -> [Waiting] {
    isRenewing = false
    defer { waiting = [:] }
    return Array(waiting.values)
  }

  /// - Returns: a message for the operator, or nil if there is nothing new.
  mutating func note(_ result: Result<Credentials, CredentialError>, begun now: Int64) -> String? {
    switch result {
    case .success(let credentials):
      (held, lastAttempt) = (credentials, (now, nil))
      guard hasWarned else { return nil }
      hasWarned = false
      return "the credentials for the object store are renewed again"
    case .failure(let error):
      lastAttempt = (now, error)
      // Without valid credentials, each payload reports the error.
      guard !hasWarned, let end = valid(at: now)?.end else { return nil }
      hasWarned = true
      let time = WallClock.text("%Y-%m-%dT%H:%M:%SZ", at: Int(end))
      return "the credentials for the object store expire at \(time), and could not be renewed yet: \(error)"
    }
  }

  private func isPausing(_ now: Int64) -> Bool { isPausing(now, since: lastAttempt?.time) }

  private func isPausing(_ now: Int64, since time: Int64?) -> Bool {
    time.map { ($0..<$0 + Self.pause).contains(now) } ?? false
  }
}

extension Credentials {
  func isValid(at time: Int64) -> Bool { end.map { $0 > time } ?? true }
}
