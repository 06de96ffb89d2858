internal import ArgumentParser
internal import Glibc

/// The exit statuses of the contract; those above 63 as in `sysexits(3)`.
enum ExitStatus: Int32 {
  /// Enriched, or nothing in the payload asked for media.
  case done = 0
  /// The worker that `healthcheck` asked does not answer as one that lives.
  case unhealthy = 1
  /// The payload went out unmodified although it asked for media.
  case fellBack = 3
  /// The command line, the environment or the configuration file is wrong.
  case usage = 64
  /// The input is no JSON object.
  case badInput = 65
  /// A queue cannot be reached, or refuses.
  case unavailable = 69
  /// A defect of push-enricher or of the machine.
  case defect = 70
  /// The result could not be written.
  case outputFailed = 74
  /// Told twice to stop: what was in flight is handed out again.
  case interrupted = 130

  /// Ends the process now: what a stuck step holds (a lookup, a disk) is not waited for.
  func end() -> Never { _exit(rawValue) }

  /// Says why on stderr, then ends the process.
  func end(_ message: String) -> Never {
    Console.line(message)
    end()
  }
}
