/// Leases in brokers that notice neither the end of a process nor that of its connection, like Redis.
package enum QueueLease {
  /// How long the others wait for a sign of life before they take over the messages of a process. A new worker
  /// has to wait this long, because it cannot know when the last sign came: with what starting takes, it stays
  /// below the 10 s that are promised.
  package static let duration = Duration.seconds(8)
  /// Signs of life that may fail to come, one after the other: with 1 s between two, neither a slow disk of the
  /// broker nor a pause of the machine costs a lease.
  package static let missingSigns = 8
}
