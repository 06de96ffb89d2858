/// For how long an answer may be reused without asking its server (RFC 9111 section 4.2). Times are in milliseconds.
struct Freshness: Equatable, Sendable {
  /// Where a lifetime comes from.
  enum Basis: UInt8, Sendable {
    case heuristic = 0
    case maximumAge = 1
    case expires = 2
  }

  /// No lifetime is longer, whatever a server says: 30 days.
  static let longest: Int64 = 30 * 86_400_000
  /// No lifetime is longer that a server did not give: a day.
  static let longestGuess: Int64 = 86_400_000
  /// What is left at the least where a server says nothing at all. HTTP counts in whole seconds: nobody who says nothing means less.
  static let leastGuess: Int64 = 2_000

  let basis: Basis
  /// From its making on.
  let lifetime: Int64
  /// From its receipt on: what it had aged until then is taken off.
  let rest: Int64

  /// - Parameters:
  ///   - requested: when the first request of the fetch was sent, and
  ///   - received: when the last byte was there, since 1970. In between it ages, wherever it was.
  ///   - previous: of the same file, where the answer says that it has not changed: of what it does not say, that still holds, field by
  ///     field (RFC 9111 section 3.2).
  init(
    of answer: Answer, requested: Int64, received: Int64,
    previous: (Freshness, lastModified: HTTPDate?)? = nil
  ) {
    let date = answer.date.map { $0.seconds * 1_000 } ?? received
    let lastModified = answer.lastModified ?? previous?.lastModified
    if let previous, previous.0.basis == .maximumAge, !answer.hasCacheControl {
      // It goes before all that other fields say.
      basis = .maximumAge
      lifetime = previous.0.lifetime
    } else {
      let own = Self.lifetime(of: answer, date: date, lastModified: lastModified)
      // Where there is an Expires, nothing is guessed; that time is not known any more.
      (basis, lifetime) = own.0 == .heuristic && previous?.0.basis == .expires ? (.expires, 0) : own
    }
    let age = Self.age(of: answer, date: date, requested: requested, received: received)
    let left = max(0, lifetime - age)
    rest = basis == .heuristic && Self.maySayNothing(answer) ? max(left, Self.leastGuess) : left
  }

  init(basis: Basis, lifetime: Int64, rest: Int64) {
    self.basis = basis
    self.lifetime = lifetime
    self.rest = rest
  }

  private static func lifetime(
    of answer: Answer, date: Int64, lastModified: HTTPDate?
  ) -> (Basis, Int64) {
    let control = answer.control
    if control.demandsValidation || answer.demandsValidationInOldWords { return (.maximumAge, 0) }
    switch control.lifetime {
    case .seconds(let seconds)?: return (.maximumAge, min(seconds * 1_000, longest))
    case .malformed?: return (.maximumAge, 0)
    case nil: break
    }
    if answer.hasExpires {
      let end = answer.expires.map { $0.seconds * 1_000 } ?? 0
      return (.expires, min(max(0, end - date), longest))
    }
    guard maySayNothing(answer), let lastModified else { return (.heuristic, 0) }
    return (.heuristic, min(max(0, date - lastModified.seconds * 1_000) / 10, longestGuess))
  }

  /// Those that are kept without being told to (RFC 9110 section 15.1); a 304 stands for a 200.
  private static func maySayNothing(_ answer: Answer) -> Bool {
    [200, 301, 304, 308].contains(answer.status)
  }

  /// RFC 9111 section 4.2.3. All that the fetch took counts as time on the way.
  private static func age(of answer: Answer, date: Int64, requested: Int64, received: Int64) -> Int64 {
    let told: Int64 =
      switch answer.age {
      case nil: 0
      case .seconds(let seconds)?: seconds * 1_000
      // Whoever cannot count may have had it for long.
      case .malformed?: longest
      }
    return max(0, received - date, told + max(0, received - requested))
  }
}
