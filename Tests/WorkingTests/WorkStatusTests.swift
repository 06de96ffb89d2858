import Testing

@testable import Working

@Suite("The status of a worker")
struct WorkStatusTests {
  private let start = ContinuousClock.now
  private let status = WorkStatus()

  @Test("a worker is ready once its queue has answered, until it is told to stop") func life() {
    #expect(status.readiness(at: start) == .starting)
    status.begin(.receiving, at: start)
    #expect(status.readiness(at: start) == .starting)
    status.succeed(.receiving, at: start)
    #expect(status.readiness(at: start) == .ready)
    // Nothing is tried while all places are taken.
    #expect(status.readiness(at: start + .seconds(1_000)) == .ready)
    status.stop()
    #expect(status.readiness(at: start) == .stopping)
  }

  @Test(
    "a worker is stuck if tries fail for longer than a moment",
    arguments: [WorkStatus.QueueOperation.receiving, .publishing])
  func failing(operation: WorkStatus.QueueOperation) {
    receive()
    for second in 0...20 {
      status.begin(operation, at: start + .seconds(second))
      status.fail(operation)
    }
    #expect(status.readiness(at: start + .seconds(10)) == .ready)
    #expect(status.readiness(at: start + .seconds(11)) == .stuck(operation, for: .seconds(11)))
    status.begin(operation, at: start + .seconds(21))
    #expect(status.readiness(at: start + .seconds(21)) == .stuck(operation, for: .seconds(21)))
    status.succeed(operation, at: start + .seconds(22))
    #expect(status.readiness(at: start + .seconds(40)) == .ready)
  }

  @Test("a worker is stuck if a queue does not answer at all") func hanging() {
    receive()
    status.begin(.publishing, at: start)
    status.begin(.publishing, at: start + .seconds(5))
    // One of the two operations succeeded.
    status.succeed(.publishing, at: start + .seconds(6))
    #expect(status.readiness(at: start + .seconds(16)) == .ready)
    #expect(status.readiness(at: start + .seconds(17)) == .stuck(.publishing, for: .seconds(11)))
  }

  @Test("a target that answers for some messages of a batch is not stuck") func slow() {
    receive()
    status.watchAnswers { [start] in start + .seconds(15) }
    status.begin(.publishing, at: start)
    #expect(status.readiness(at: start + .seconds(25)) == .ready)
    #expect(status.readiness(at: start + .seconds(26)) == .stuck(.publishing, for: .seconds(11)))
  }

  @Test("results that have to wait for their order have the deadline as additional time") func inOrder() {
    receive()
    status.expectOrder(deadline: .seconds(30))
    status.begin(.publishing, at: start)
    #expect(status.readiness(at: start + .seconds(40)) == .ready)
    #expect(status.readiness(at: start + .seconds(41)) == .stuck(.publishing, for: .seconds(41)))
  }

  @Test("the status of a worker has the time of the last published result") func progress() {
    receive()
    status.begin(.publishing, at: start)
    #expect(status.lastPublication == nil)
    status.succeed(.publishing, at: start + .seconds(1))
    #expect(status.lastPublication == start + .seconds(1))
    status.begin(.publishing, at: start + .seconds(2))
    status.fail(.publishing)
    #expect(status.lastPublication == start + .seconds(1))
  }

  @Test("a worker is stuck, and not starting, if its queue has not answered for a long time") func never() {
    status.begin(.receiving, at: start)
    #expect(status.readiness(at: start + .seconds(11)) == .stuck(.receiving, for: .seconds(11)))
  }

  private func receive() {
    status.begin(.receiving, at: start)
    status.succeed(.receiving, at: start)
  }
}
