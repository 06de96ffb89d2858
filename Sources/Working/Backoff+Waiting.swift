internal import Queueing

extension Backoff {
  /// A stop ends a longer pause.
  mutating func wait(among inFlight: InFlightDeliveries) async {
    let pause = inFlight.stopTime == nil ? next() : InFlightDeliveries.pauseWhileStopping
    await inFlight.pause(for: pause)
  }
}
