import Queueing
import Testing

@testable import Working

@Suite("Deliveries in flight", .timeLimit(.minutes(5)))
struct InFlightDeliveriesTests {
  private func deliveries(_ numbers: Range<Int>, size: Int, of character: Character = "x") -> [Delivery] {
    numbers.map { number in
      let message = Message(id: "m\(number)", body: Array(String(repeating: character, count: size).utf8))
      return Delivery(message: message, attempt: 1, receipt: "\(number)")
    }
  }

  @Test("they are empty once all have left, even if one was handed out twice") func empty() async {
    let inFlight = InFlightDeliveries(limit: 8, transfers: 8, memory: 12_000_000)
    await inFlight.waitUntilEmpty()
    let all = deliveries(0..<2, size: 1)
    inFlight.enter(all)
    inFlight.enter([all[0]])
    let wait = Task {
      await inFlight.waitUntilEmpty()
      return inFlight.isEmpty
    }
    inFlight.leave(all[0])
    inFlight.leave(all[1])
    await Task.yield()
    inFlight.leave(all[0])
    #expect(await wait.value)
  }

  @Test("a pause ends with a stop and with a cancellation")
  func pause() async {
    let inFlight = InFlightDeliveries(limit: 8, transfers: 8, memory: 12_000_000)
    let cancelled = Task.detached { await inFlight.pause(for: .seconds(3_600)) }
    cancelled.cancel()
    await cancelled.value
    let stopped = Task.detached { await inFlight.pause(for: .seconds(3_600)) }
    await Task.yield()
    inFlight.stop()
    await stopped.value
  }

  @Test("all places can be taken by the longest payloads") func longest() async {
    let inFlight = InFlightDeliveries(limit: 618, transfers: 600, memory: 12_000_000)
    inFlight.enter(deliveries(0..<617, size: 5_120))
    #expect(await inFlight.waitForCapacity() == 1)
  }

  @Test("long messages are accepted until the memory is used up", arguments: [(1, 8), (64, 8), (600, 38)])
  func long(transfers: Int, count: Int) async {
    let inFlight = InFlightDeliveries(limit: 618, transfers: transfers, memory: 12_000_000)
    inFlight.enter(deliveries(0..<count - 1, size: 131_072))
    #expect(await inFlight.waitForCapacity() == 1)
    inFlight.enter(deliveries(count - 1..<count, size: 131_072))
    #expect(await cancelledWait(inFlight).value == nil)
  }

  /// Each of the 100 media takes memory as soon as the array is read.
  @Test("arrays of payloads count with their media, and are taken a few at a time") func arrays() async {
    let inFlight = InFlightDeliveries(limit: 618, transfers: 64, memory: 12_000_000)
    inFlight.enter(deliveries(0..<1, size: 10_000, of: "\""))
    #expect(await inFlight.waitForCapacity() == 7)
    inFlight.enter(deliveries(1..<11, size: 10_000, of: "\""))
    #expect(await cancelledWait(inFlight).value == nil)
  }

  @Test("a waiting task continues when there is capacity, or when it is cancelled") func waiting() async {
    let inFlight = InFlightDeliveries(limit: 2, transfers: 2, memory: 12_000_000)
    let all = deliveries(0..<2, size: 10)
    inFlight.enter(all)
    let tasks = (0..<2).map { _ in Task { await inFlight.waitForCapacity() } }
    #expect(await cancelledWait(inFlight).value == nil)
    inFlight.leave(all[0])
    for task in tasks { #expect(await task.value == 1) }
  }

  @Test("those that gather wait until a quarter of the room is free, unless they have nothing")
  func gathering() async {
    let inFlight = InFlightDeliveries(
      limit: 8, transfers: 0, memory: 12_000_000, hasMedia: false, gathers: true)
    let all = deliveries(0..<7, size: 10)
    inFlight.enter(all)
    #expect(await cancelledWait(inFlight).value == nil)
    inFlight.leave(all[0])
    #expect(await inFlight.waitForCapacity() == 2)
    let long = InFlightDeliveries(limit: 8, transfers: 0, memory: 12_000, hasMedia: false, gathers: true)
    #expect(await long.waitForCapacity() == 4)
    long.enter(deliveries(0..<1, size: 2_000))
    #expect(await cancelledWait(long).value == nil)
    long.leave(deliveries(0..<1, size: 2_000))
    #expect(await long.waitForCapacity() == 1)
  }

  /// A wait in a task that is already cancelled.
  private func cancelledWait(_ inFlight: InFlightDeliveries) -> Task<Int?, Never> {
    Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await inFlight.waitForCapacity()
    }
  }
}
