internal import Glibc
internal import Supporting

/// The kernel's memory limit for a group of processes, such as a container (cgroups(7)). It counts
/// private memory, and written data that is not on the disk yet.
struct ControlGroup: Equatable {
  /// A limit of this many bytes or more can be ignored, because the kernel's own accounting copes.
  private static let ample = 268_435_456

  let limit: Int

  static var current: ControlGroup? {
    text(of: "/proc/self/cgroup").flatMap { ControlGroup(membership: $0, root: "/sys/fs/cgroup") }
  }

  /// The private memory to plan with, in bytes. Five ninths leave enough for the rest.
  var privateMemory: Int { limit / 9 * 5 }
  /// The private memory at which downloads end, in bytes. With two thirds, the kernel kills a
  /// worker that fetches videos.
  var mostPrivateMemory: Int { limit / 8 * 5 }
  /// How many written bytes may still be on their way to the disk.
  var unwrittenBytes: Int { limit / 5 }
}

extension ControlGroup {
  /// The lowest limit that applies. Nil if there is none, or if it is ample.
  /// - Parameter root: where the hierarchies are mounted.
  init?(membership: String, root: String) {
    var limits: [Int] = []
    for line in membership.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[0] == "0", parts[1].isEmpty {
        limits += Self.limits(of: parts[2], below: root, "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        limits += Self.limits(of: parts[2], below: "\(root)/memory", "memory.limit_in_bytes")
      }
    }
    guard let limit = limits.min(), limit < Self.ample else { return nil }
    self.init(limit: limit)
  }

  /// The limits of a group and its ancestors. A container may see its path on the host, although
  /// only its own root is mounted.
  private static func limits(of path: Substring, below mount: String, _ file: String) -> [Int] {
    let names = path.split(separator: "/")
    return (0...names.count).compactMap { depth in
      let folder = names.prefix(depth).reduce(mount) { "\($0)/\($1)" }
      // "max" and numbers too large for any machine mean that there is no limit.
      let limit = text(of: "\(folder)/\(file)").flatMap { Int($0.prefix { $0 != "\n" }) } ?? 0
      return limit > 0 ? limit : nil
    }
  }

  private static func text(of path: String) -> String? {
    readShortFile(path, maximum: 4_096).map { String(decoding: $0, as: UTF8.self) }
  }
}
