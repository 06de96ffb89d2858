internal import Glibc
internal import Supporting

/// The memory limit that the kernel keeps for this process and others of its group (cgroups(7)): of a container, or a service. It counts
/// private memory, and also the files that were written and are not on the disk yet.
struct ControlGroup: Equatable, Sendable {
  /// What is no limit for this program in practice, in bytes: the kernel's own accounting copes with it.
  private static let ample = 268_435_456

  /// In bytes.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  /// The narrowest limit that applies; nil without one, or where it is ample.
  /// - Parameters:
  ///   - membership: the text of `/proc/self/cgroup`.
  ///   - root: where the hierarchies are mounted.
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

  /// That of this process.
  static var current: ControlGroup? {
    text(of: "/proc/self/cgroup").flatMap { ControlGroup(membership: $0, root: "/sys/fs/cgroup") }
  }

  /// Private memory to plan with, in bytes: five ninths leave room for all else that is counted.
  var privateMemory: Int { limit / 9 * 5 }

  /// Private memory from which on nothing more is taken up, in bytes: at two thirds, a worker that stores videos is killed.
  var mostPrivateMemory: Int { limit / 8 * 5 }

  /// Written bytes that may not be on the disk yet.
  var unwrittenBytes: Int { limit / 5 }

  /// The first 4 KB of one of the kernel's files; nil where it cannot be read.
  private static func text(of path: String) -> String? {
    readShortFile(path, maximum: 4_096).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Limits of a group and of those that it is part of. Inside a container the path may be the one outside, of which only the end,
  /// the root, is to be seen.
  private static func limits(of path: Substring, below mount: String, _ file: String) -> [Int] {
    var names = path.split(separator: "/")
    var limits: [Int] = []
    while true {
      let folder = names.reduce(mount) { "\($0)/\($1)" }
      // "max", and more than there is anywhere, stand for none.
      let text = Self.text(of: "\(folder)/\(file)") ?? ""
      if let limit = Int(text.prefix { $0 != "\n" }), limit > 0 { limits.append(limit) }
      guard !names.isEmpty else { return limits }
      names.removeLast()
    }
  }
}
