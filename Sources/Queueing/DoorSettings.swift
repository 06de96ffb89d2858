/// Who can reach a door: this machine alone, or others as well.
package enum DoorReach: Sendable { case machine, network }

/// What a door needs to know of the worker behind it.
package struct DoorSettings: Sendable {
  /// Requests that may be worked on at once.
  package var places = 64
  package var connections = 256
  /// Bytes of bodies that may be in memory at once, from the first byte of a request to the last of its answer.
  package var bodyBytes = 1_048_576
  /// How long a client waits at most, from the last byte of its request.
  package var patience = Duration.seconds(30)
  /// The bearer token that clients have to send; nil if they need none.
  package var token: String?
  /// Told the address, once the door is open.
  package var opened: @Sendable (String) -> Void = { _ in }
  /// Told the status of each answer; 499 if the client went away before it.
  package var answered: @Sendable (Int) -> Void = { _ in }

  package init() {}
}
