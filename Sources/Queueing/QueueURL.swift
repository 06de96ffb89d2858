/// A queue as its user names it, of one of the kinds in `QueueKind`.
package protocol QueueURL: Sendable {
  /// Its name in metrics.
  var label: QueueLabel { get }

  /// What it needs from the sandbox for as long as it is used.
  var needs: QueueNeeds { get }

  /// Whether messages put into one queue come out of the other, as far as the URLs tell.
  func isSameQueue(as other: any QueueURL) -> Bool

  /// The URL of another queue at the same place: in the same file, database or virtual host, with the same login.
  /// - Parameters:
  ///   - name: of the other queue, of letters and `-`.
  ///   - text: this queue's own URL, as its user wrote it.
  /// - Returns: nil if there is no other queue there, as for a pipe.
  func sibling(_ name: String, of text: String) -> String?

  /// The same without anything of this queue's own URL, for one that is secret.
  func example(_ name: String) -> String

  /// Opens the queue. Blocks on the disk and the network: called at the start.
  /// - Parameters:
  ///   - use: some brokers are asked at once whether the user may do it.
  ///   - createsFile: whether a missing database file is created. For a program that only takes from it, a
  ///     missing one is a mistake.
  /// - Throws: `QueueError.refused` for a queue that will never open, `.unavailable` for one that may later.
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) throws(QueueError) -> any Queue
}

/// Names a queue in metrics. Stable, and without secrets.
package struct QueueLabel: Equatable, Sendable {
  /// OpenTelemetry's `messaging.system`: `sqlite`, `redis`, `rabbitmq`; `lines` for a pipe.
  package let system: String
  /// The queue or stream (`messaging.destination.name`).
  package let name: String

  package init(system: String, name: String) {
    self.system = system
    self.name = name
  }
}

package struct QueueNeeds: Equatable, Sendable {
  /// A database. SQLite keeps further files beside it.
  package var database: String?
  /// Read at each connection, and replaced now and then.
  package var passwordFile: String?
  /// The TCP port of its broker.
  package var port: Int?

  package init(database: String? = nil, passwordFile: String? = nil, port: Int? = nil) {
    self.database = database
    self.passwordFile = passwordFile
    self.port = port
  }
}

/// What a queue is opened for.
package enum QueueUse: Sendable {
  /// To browse, and to count.
  case looking
  /// To publish.
  case adding
  /// To receive, settle and release.
  case taking
}
