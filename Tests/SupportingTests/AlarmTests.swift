import Synchronization
import TestSupport
import Testing

@testable import Supporting

@Suite("Alarm", .timeLimit(.minutes(5)))
struct AlarmTests {
  @Test("rings once, and not early") func rings() async {
    let rung = Mutex<[ContinuousClock.Instant]>([])
    let time = ContinuousClock.now + .milliseconds(30)
    let alarm = Alarm(at: time) { rung.withLock { $0.append(.now) } }
    while rung.withLock({ $0.isEmpty }), !Task.isCancelled { await Task.yield() }
    #expect(rung.withLock { $0.allSatisfy { $0 >= time } })
    alarm.switchOff()
    #expect(rung.withLock { $0.count } == 1)
  }

  @Test("rings at once if its time is past") func past() async {
    let rung = Atomic(false)
    let alarm = Alarm(at: .now - .seconds(60)) { rung.store(true, ordering: .relaxed) }
    while !rung.load(ordering: .relaxed), !Task.isCancelled { await Task.yield() }
    alarm.switchOff()
  }

  @Test("releases what it would have run when it is switched off") func switchedOff() async {
    let witness = Witness()
    weak let forgotten = witness
    let alarm = Alarm(at: .now + .seconds(3_600)) { [witness] in _ = witness }
    alarm.switchOff()
    // The dispatch queue of the alarms releases it a moment later.
    _ = consume witness
    while forgotten != nil, !Task.isCancelled { await Task.yield() }
    #expect(forgotten == nil)
  }
}

private final class Witness: Sendable {}
