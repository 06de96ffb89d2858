import Supporting
import TestSupport
import Testing

@testable import Fetching

/// How a simulated host behaves.
private enum Manner: CaseIterable {
  case fast, slow, verySlow
  /// Its head arrives at once, and its body later.
  case earlyHead
  /// Fast at first, and slow after ten seconds.
  case cooling
  /// It sends 9 MB at 18 KB per second.
  case dripping
  case silent
  /// It answers for ten seconds, and is silent for the next ten.
  case flapping
  case refusing

  var isHonest: Bool { [.fast, .slow, .verySlow, .earlyHead, .cooling].contains(self) }

  /// How long a response takes in seconds; nil if it never arrives.
  func latency(at time: Double, _ random: inout SeededGenerator) -> Double? {
    switch self {
    case .fast: .random(in: 0.01...0.05, using: &random)
    case .slow: .random(in: 1...2, using: &random)
    case .verySlow, .earlyHead: .random(in: 2...4, using: &random)
    case .cooling: time < 10 ? 0.02 : 6
    case .flapping: Int(time / 10).isMultiple(of: 2) ? 0.1 : nil
    case .dripping, .silent, .refusing: nil
    }
  }
}

/// A simulated worker with 64 downloads. Time advances in steps of a twentieth of a second.
/// Payloads that cannot start go back to the queue.
private struct SimulatedWorker {
  struct Payload {
    let number: Int
    let host: Int
    var taken = 0.0
  }

  struct Download {
    let payload: Payload
    let begun: Double
    let end: Double?
  }

  var scheduler = HostScheduler(limits: HostLimits())
  var random: SeededGenerator
  let manners: [Manner]
  var queue: [Payload]
  /// Replaces the latency of all hosts that answer, in seconds.
  var latency: Double?
  var waiting: [HostPermit.ID: Payload] = [:]
  var downloads: [HostPermit.ID: Download] = [:]
  /// How many payloads of hosts of each manner were enriched, and how many were not.
  var enriched: [Manner: Int] = [:]
  var unmodified: [Manner: Int] = [:]
  var returned = 0
  var last: HostPermit.ID = 0

  var isDone: Bool { queue.isEmpty && waiting.isEmpty && downloads.isEmpty }

  mutating func step(_ time: Double) throws {
    let now = at(time)
    for (permit, download) in downloads {
      let manner = manners[download.payload.host]
      if manner == .dripping { scheduler.headArrived(permit, announcing: 9_000_000, at: now) }
      if manner == .earlyHead { scheduler.headArrived(permit, announcing: 20_000, at: now) }
      if manner == .refusing {
        end(permit, .noConnection, time)
      } else if let end = download.end, end <= time {
        self.end(permit, .complete, time)
      } else if time - download.payload.taken >= 30 {
        end(permit, .givenUp, time)
      }
    }
    for (permit, payload) in waiting where time - payload.taken >= 30 {
      scheduler.withdraw(permit)
      waiting[permit] = nil
      unmodified[manners[payload.host], default: 0] += 1
    }
    let drips = downloads.filter { manners[$0.value.payload.host] == .dripping }
      .map { (transfer: $0.key, bytes: Int((time - $0.value.begun) * 18_000)) }
    if scheduler.isTickDue(at: now) {
      scheduler.tick(at: now, received: drips)
      noteEffects(time)
    }
    try take(time)
  }

  private mutating func take(_ time: Double) throws {
    // As many rounds as a worker has time for.
    for _ in 0..<5 where downloads.count < 64 {
      let capacity = scheduler.capacity(for: 11_072, mayReturn: true, at: at(time))
      for _ in 0..<min(capacity, 16, queue.count, 64 - downloads.count) {
        var payload = queue.removeFirst()
        payload.taken = time
        last += 1
        let request = PermitRequest(
          origin: try .host("h\(payload.host)"), url: payload.number, bytes: 9_000,
          turn: PayloadTurn(mayGoBack: true))
        waiting[last] = payload
        if let decision = scheduler.ask(request, as: last, at: at(time)) { decide(last, decision, time) }
        noteEffects(time)
      }
    }
  }

  private mutating func decide(_ permit: HostPermit.ID, _ decision: PermitDecision, _ time: Double) {
    guard let payload = waiting.removeValue(forKey: permit) else { return }
    switch decision {
    case .granted:
      let latency = latency ?? manners[payload.host].latency(at: time, &random)
      scheduler.begin(
        permit, for: payload.number, with: permit, until: at(payload.taken + 30), at: at(time))
      downloads[permit] = Download(payload: payload, begun: time, end: latency.map { time + $0 })
    case .refused(.busy):
      returned += 1
      queue.append(payload)
    case .refused: unmodified[manners[payload.host], default: 0] += 1
    }
  }

  private mutating func end(_ permit: HostPermit.ID, _ ending: HostScheduler.Ending, _ time: Double) {
    scheduler.end(permit, ending, at: at(time))
    finish(permit, isEnriched: ending == .complete, time)
  }

  private mutating func finish(_ permit: HostPermit.ID, isEnriched: Bool, _ time: Double) {
    guard let download = downloads.removeValue(forKey: permit) else { return }
    let manner = manners[download.payload.host]
    if isEnriched { enriched[manner, default: 0] += 1 } else { unmodified[manner, default: 0] += 1 }
    noteEffects(time)
    release(permit, time)
  }

  private mutating func release(_ permit: HostPermit.ID, _ time: Double) {
    scheduler.release(permit, at: at(time))
    noteEffects(time)
  }

  private mutating func noteEffects(_ time: Double) {
    let effects = scheduler.takeEffects()
    for (permit, decision) in effects.decisions { decide(permit, decision, time) }
    for (permit, refusal) in effects.revoked {
      if refusal == .busy, let download = downloads.removeValue(forKey: permit) {
        returned += 1
        queue.append(download.payload)
        release(permit, time)
      } else {
        finish(permit, isEnriched: false, time)
      }
    }
  }
}

@Suite("Random hosts")
struct RandomHostsTests {
  @Test(
    "whatever hosts do, payloads of honest hosts are enriched, and each payload ends", arguments: 1...12)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // A few hosts with many payloads each, and many hosts with one payload each.
    let manners =
      (0..<12).map { _ in Manner.allCases.randomElement(using: &random) ?? .fast }
      + (0..<300).map { _ in Bool.random(using: &random) ? Manner.silent : .dripping }
    let queue = (0..<1_500).map { number in
      SimulatedWorker.Payload(
        number: number,
        host: Bool.random(using: &random)
          ? .random(in: 0..<12, using: &random) : .random(in: 12..<manners.count, using: &random))
    }
    var worker = SimulatedWorker(random: random, manners: manners, queue: queue)
    var time = 0.0
    while !worker.isDone, time < 3_600 {
      try worker.step(time)
      time += 0.05
    }
    #expect(worker.isDone, "after \(time) s: \(worker.enriched) \(worker.unmodified)")
    for manner in Manner.allCases where manner.isHonest {
      let (enriched, unmodified) = (
        worker.enriched[manner, default: 0], worker.unmodified[manner, default: 0]
      )
      #expect(unmodified * 50 <= enriched + unmodified, "\(manner): \(enriched) of \(enriched + unmodified)")
    }
    #expect(worker.scheduler.permits.isEmpty)
    #expect(worker.scheduler.unprovenPermits == 0)
    #expect(worker.scheduler.slowPermits == 0)
    #expect(worker.scheduler.room.isEmpty)
  }

  @Test(
    "no payload of hosts that answer is refused, however slow they are",
    arguments: [900, 1_500, 3_000, 9_000, 20_000])
  func slow(milliseconds: Int) throws {
    var worker = SimulatedWorker(
      random: SeededGenerator(seed: 1), manners: [.slow],
      queue: (0..<600).map { SimulatedWorker.Payload(number: $0, host: 0) })
    worker.latency = Double(milliseconds) / 1_000
    var time = 0.0
    while !worker.isDone, time < 3_600 {
      try worker.step(time)
      time += 0.05
    }
    #expect(worker.enriched == [.slow: 600])
  }
}
