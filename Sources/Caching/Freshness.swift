/// How long a response may be reused without asking its server (RFC 9111 section 4.2), in ms.
struct Freshness: Equatable, Sendable {
  /// The raw values are stored in the cache's file.
  enum Basis: UInt8 { case heuristic, maximumAge, expires }

  /// The longest lifetime, whatever a server says: 30 days.
  static let longest: Int64 = 30 * 86_400_000
  /// The longest lifetime to guess if the server gave none: a day.
  private static let longestGuess: Int64 = 86_400_000
  /// The shortest remaining time to guess: HTTP counts in whole seconds.
  private static let leastGuess: Int64 = 2_000

  let basis: Basis
  /// How long the response is fresh after it was generated.
  let lifetime: Int64
  /// How long the response is fresh after it was received.
  let rest: Int64
}

extension Freshness {
  /// - Parameters:
  ///   - requested: when the fetch sent its first request, since 1970. The age counts from then.
  ///   - previous: what is known about the same file. It counts where the response says nothing (section 3.2).
  init(of response: Response, requested: Int64, received: Int64, previous: Reuse? = nil) {
    let date = response.date.map { $0.seconds * 1_000 } ?? received
    if let previous = previous?.freshness, previous.basis == .maximumAge, !response.hasCacheControl {
      // Cache-Control takes precedence over all other fields.
      (basis, lifetime) = (.maximumAge, previous.lifetime)
    } else {
      let lastModified = response.lastModified ?? previous?.lastModified
      let own = Self.lifetime(of: response, date: date, lastModified: lastModified)
      // Guesses nothing if there was an Expires, whose time is no longer known.
      let hadExpires = own.0 == .heuristic && previous?.freshness.basis == .expires
      (basis, lifetime) = hadExpires ? (.expires, 0) : own
    }
    // RFC 9111 section 4.2.3. The whole fetch counts as time in transit.
    let age = max(0, received - date, response.age + max(0, received - requested))
    let left = max(0, lifetime - age)
    rest = basis == .heuristic && response.isCacheableByDefault ? max(left, Self.leastGuess) : left
  }

  private static func lifetime(of response: Response, date: Int64, lastModified: HTTPDate?) -> (Basis, Int64)
  {
    let control = response.control
    if control.demandsValidation || response.demandsValidationInOldWords { return (.maximumAge, 0) }
    if let seconds = control.lifetime { return (.maximumAge, min(seconds * 1_000, longest)) }
    if response.hasExpires {
      let end = response.expires.map { $0.seconds * 1_000 } ?? 0
      return (.expires, min(max(0, end - date), longest))
    }
    guard response.isCacheableByDefault, let lastModified else { return (.heuristic, 0) }
    return (.heuristic, min(max(0, date - lastModified.seconds * 1_000) / 10, longestGuess))
  }
}
