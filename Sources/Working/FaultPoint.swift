#if DEBUG
  internal import Glibc
#endif

/// Where tests let a worker die, to show that nothing is lost there. Not in a release build.
enum FaultPoint: String {
  case received, enriched, settled

  /// Kills the process if `PUSH_ENRICHER_FAULT` is this point's name and `PUSH_ENRICHER_FAULT_SKIPS` passages are behind.
  static func reach(_ point: FaultPoint) {
    #if DEBUG
      guard let name = unsafe getenv("PUSH_ENRICHER_FAULT"), unsafe strcmp(name, point.rawValue) == 0 else {
        return
      }
      kill(getpid(), SIGKILL)
    #endif
  }
}
