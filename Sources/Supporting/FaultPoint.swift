#if DEBUG
  internal import Glibc
  internal import Synchronization
#endif

/// Points at which tests kill the process, to show that nothing is lost. Not in release builds.
package enum FaultPoint: String {
  /// Messages are leased but not processed yet.
  case received
  /// A result is ready but not published yet.
  case enriched
  /// A result is published, and its message acknowledged.
  case settled
  /// `store prune` has renamed a file aside, but not removed it or put it back yet.
  case aside

  #if DEBUG
    private static let passages = Atomic(0)
  #endif

  /// Kills the process if `PUSH_ENRICHER_FAULT` names this point, after the point was passed
  /// `PUSH_ENRICHER_FAULT_SKIPS` times.
  package static func reach(_ point: FaultPoint) {
    #if DEBUG
      let name = unsafe getenv("PUSH_ENRICHER_FAULT").map { unsafe String(cString: $0) }
      guard name == point.rawValue else { return }
      let skips = unsafe getenv("PUSH_ENRICHER_FAULT_SKIPS").flatMap { Int(unsafe String(cString: $0)) } ?? 0
      if passages.wrappingAdd(1, ordering: .relaxed).oldValue >= skips { kill(getpid(), SIGKILL) }
    #endif
  }
}
