import TestSupport

/// The `curl` command as a known client: libcurl 7.88, no proxy, no configuration file.
/// - Parameter seconds: how long it may take. Short if the server does not answer; a busy machine may need long.
func curl(_ url: String, _ options: [String] = [], limit seconds: Int = 60) async throws -> Run {
  try await Command("curl").run(
    ["-q", "-sS", "--noproxy", "*", "--max-time", "\(seconds)"] + options + [url], limit: .seconds(90))
}

/// Exit statuses of curl, from EXIT CODES in curl(1).
enum CurlExit {
  static let unsupportedProtocol: Int32 = 1
  static let weirdReply: Int32 = 8
  static let cannotConnect: Int32 = 7
  static let partialFile: Int32 = 18
  static let outOfMemory: Int32 = 27
  static let timedOut: Int32 = 28
  static let tooManyRedirects: Int32 = 47
  static let receiveFailed: Int32 = 56
  static let untrusted: Int32 = 60
  static let fileTooLarge: Int32 = 63
}

/// A body that is easy to recognize.
let picture: [UInt8] = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
