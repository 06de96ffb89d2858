package import Enriching

/// The outcome of a payload, as it is counted.
package enum Verdict: Hashable, Sendable, CaseIterable {
  case enriched
  case unmodified(Reason)

  package static let allCases = [Verdict.enriched] + Reason.allCases.map { .unmodified($0) }

  init(_ failure: Failure?) { self = failure.map { .unmodified($0.reason) } ?? .enriched }

  /// Whether the payload asked for media and did not get it.
  package var isFailure: Bool { if case .unmodified(let reason) = self { reason.isFailure } else { false } }
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
