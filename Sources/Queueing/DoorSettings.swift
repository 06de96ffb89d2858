/// Who can reach a door: only this machine, or others too.
package enum DoorReach: Sendable { case machine, network }

/// What a door needs to know about its worker.
package struct DoorSettings: Sendable {
  /// How many requests may be worked on at once.
  package var places = 64
  package var connections = 256
  /// How many bytes of bodies may be in memory at once, from the first byte of a request to the last of its answer.
  package var bodyBytes = 1_048_576
  /// How long a client waits at most, from the last byte of its request.
  package var patience = Duration.seconds(30)
  /// The bearer token that clients have to send; nil if they need none.
  package var token: String?
  /// Called with the address once the door is open.
  package var opened: @Sendable (String) -> Void = { _ in }
  /// Called with the status of each answer, or 499 if the client went away before its answer.
  package var answered: @Sendable (Int) -> Void = { _ in }

  package init() {}
}
