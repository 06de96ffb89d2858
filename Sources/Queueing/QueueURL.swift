/// The URL by which the user names a queue, of one of the kinds in `QueueKind`.
package protocol QueueURL: Sendable {
  var label: QueueLabel { get }

  /// What the sandbox must allow while the queue is used.
  var needs: QueueNeeds { get }

  /// Who can reach the door, which can send results back to its clients. Nil if this is a queue.
  var door: DoorReach? { get }

  /// Whether messages put into it go to devices. If so, they may have a time (`Message.sendAt`).
  var sendsToDevices: Bool { get }

  /// Whether messages put into one queue come out of the other, as far as the URLs can tell.
  func isSameQueue(as other: any QueueURL) -> Bool

  /// The URL of another queue in the same place, with the same login. Nil for a pipe.
  /// - Parameters:
  ///   - name: contains only letters and `-`.
  ///   - text: the URL of this queue, as the user wrote it.
  func sibling(_ name: String, of text: String) -> String?

  /// A sibling's URL without any part of this queue's own URL, which may be secret.
  func example(_ name: String) -> String

  /// Opens the queue. Blocks on disk and network. Asks some brokers whether `use` is allowed.
  /// - Parameter createsFile: whether to create a missing database. Otherwise it is an error.
  /// - Throws: `QueueError.refused` if it will never open, `.unavailable` if it may open later.
  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) throws(QueueError) -> any Queue
}

extension QueueURL {
  package var door: DoorReach? { nil }
  package var sendsToDevices: Bool { false }
}

/// Names a queue in metrics. Stable and without secrets.
package struct QueueLabel: Equatable, Sendable {
  /// OpenTelemetry's `messaging.system`: `sqlite`, `redis`, `rabbitmq`; `lines` for a pipe,
  /// `http` for a door.
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
  /// Read for each connection, and replaced from time to time.
  package var passwordFile: String?
  package var port: Int?
  package var listenPort: Int?

  package init(
    database: String? = nil, passwordFile: String? = nil, port: Int? = nil, listenPort: Int? = nil
  ) {
    self.database = database
    self.passwordFile = passwordFile
    self.port = port
    self.listenPort = listenPort
  }
}

/// What a queue is opened for: to browse and count, to publish, or to receive, settle and release.
package enum QueueUse: Sendable { case looking, adding, taking }
