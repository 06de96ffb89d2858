/// A queue as its user names it, of one of the kinds in `QueueKind`.
package protocol QueueURL: Sendable {
  var label: QueueLabel { get }

  /// What the sandbox has to allow while it is used.
  var needs: QueueNeeds { get }

  /// Whether messages put into one queue come out of the other, as far as the URLs tell.
  func isSameQueue(as other: any QueueURL) -> Bool

  /// The URL of another queue at the same place, with the same login. Nil if there is none, as for a pipe.
  /// - Parameters:
  ///   - name: of letters and `-`.
  ///   - text: this queue's own URL, as its user wrote it.
  func sibling(_ name: String, of text: String) -> String?

  /// The same without anything of this queue's own URL, in case that is secret.
  func example(_ name: String) -> String

  /// Opens the queue. Blocks on the disk and the network. Some brokers are asked whether `use` is allowed.
  /// - Parameter createsFile: whether to create a missing database, instead of treating it as a mistake.
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
  package var database: String?
  /// Read at each connection, and replaced now and then.
  package var passwordFile: String?
  package var port: Int?

  package init(database: String? = nil, passwordFile: String? = nil, port: Int? = nil) {
    self.database = database
    self.passwordFile = passwordFile
    self.port = port
  }
}

/// What a queue is opened for: to browse and count, to publish, or to receive, settle and release.
package enum QueueUse: Sendable { case looking, adding, taking }
