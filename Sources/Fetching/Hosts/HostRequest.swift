/// What somebody asks of hosts: leave for transfers.
struct HostRequest: Sendable {
  /// How many media of each host.
  let media: [Origin: Int]
  /// Memory that the one who asks takes while he waits, in bytes.
  let bytes: Int

  var count: Int { media.values.reduce(0, +) }
}

/// What somebody may do.
struct HostGrant: Sendable {
  /// Transfers at once; 0 where every host is refused.
  var width = 0
  /// Why hosts are not to be asked.
  var refusals: [Origin: HostRefusal] = [:]
}
