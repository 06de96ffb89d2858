/// Reads /proc/PID/status of another process (proc_pid_status(5)).
package enum ProcessStatus {
  /// RssAnon in bytes; nil once the process has ended, even before it is reaped.
  package static func privateBytes(of pid: Int32) -> Int? {
    guard let status = try? Files.read("/proc/\(pid)/status") else { return nil }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("RssAnon:") {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map
      { $0 * 1024 }
    }
    return nil
  }

  /// Samples RssAnon until the process has ended, and returns the highest value. Without an
  /// interval it takes no samples.
  static func peakPrivateBytes(of pid: Int32, every interval: Duration?) async -> Int? {
    guard let interval else { return nil }
    var peak = 0
    while let bytes = privateBytes(of: pid), !Task.isCancelled {
      peak = max(peak, bytes)
      try? await Task.sleep(for: interval)
    }
    return peak
  }
}
