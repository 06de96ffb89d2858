/// What Landlock leaves a process.
package struct Places: Sendable, Equatable {
  /// The version of Landlock that the kernel has.
  let version: Int
  /// Files and directories that it may read.
  var read = 0
  /// Directories that it may write into.
  var writable = 0
  /// TCP ports that it may connect to, and listen on; nil if the kernel has no rules for ports.
  var connectPorts: [Int]?
  var listenPorts: [Int] = []

  /// In words, for the log.
  var inForce: [String] {
    var parts = ["files (Landlock \(version): \(read) to read, \(writable) to write)"]
    if let connectPorts {
      let listening = listenPorts.isEmpty ? "" : "; listening on \(Self.list(listenPorts))"
      parts.append("TCP ports (\(Self.list(connectPorts))\(listening))")
    }
    return parts
  }

  /// What this version of Landlock lacks, in words.
  var missing: [String] {
    var parts: [String] = []
    if version < LandlockRules.versionOfTruncation {
      parts.append(lack("files that may only be read can be emptied", LandlockRules.versionOfTruncation))
    }
    if connectPorts == nil { parts.append(lack("TCP ports", LandlockRules.versionOfPorts)) }
    return parts
  }

  private func lack(_ what: String, _ needed: Int) -> String {
    "\(what) (needs Landlock \(needed), this kernel has \(version))"
  }

  private static func list(_ ports: [Int]) -> String { ports.map { "\($0)" }.joined(separator: ", ") }
}
