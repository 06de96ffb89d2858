internal import Glibc

/// The exit statuses that users rely on. Those from 64 to 78 are from `sysexits(3)`.
enum ExitStatus: Int32 {
  /// Enriched, or nothing in the payload asked for media.
  case done = 0
  /// `healthcheck` did not get the answer of a healthy worker.
  case unhealthy = 1
  /// The payload went out unmodified although it asked for media.
  case fellBack = 3
  /// The command line, the environment or the configuration file is wrong.
  case usage = 64
  /// The input is not a JSON object, a line of it is too long, or there is no such dead letter.
  case badInput = 65
  /// A queue cannot be reached, or refuses.
  case unavailable = 69
  /// A defect of push-enricher or of the machine.
  case defect = 70
  /// The result could not be written.
  case outputFailed = 74
  /// A second signal ended the process. The queue hands out the messages in flight again.
  case interrupted = 130

  /// Ends the process at once, without waiting for steps that are stuck (a lookup, a disk).
  func end() -> Never { _exit(rawValue) }

  /// Writes `message` to stderr, then ends the process.
  func end(_ message: String) -> Never {
    Console.line(message)
    end()
  }
}
