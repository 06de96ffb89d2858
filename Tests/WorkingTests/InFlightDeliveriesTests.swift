import Queueing
import Testing

@testable import Working

@Suite("Deliveries in flight", .timeLimit(.minutes(1)))
struct InFlightDeliveriesTests {
  private func deliveries(_ numbers: Range<Int>, size: Int) -> [Delivery] {
    numbers.map { number in
      let message = Message(id: "m\(number)", body: [UInt8](repeating: 0x78, count: size))
      return Delivery(message: message, attempt: 1, receipt: "\(number)")
    }
  }

  @Test("as many of the longest payloads as may be in flight are taken") func longest() async {
    let inFlight = InFlightDeliveries(limit: 618, transfers: 600)
    inFlight.enter(deliveries(0..<617, size: 5_120))
    #expect(await inFlight.waitForCapacity() == 1)
  }
}
