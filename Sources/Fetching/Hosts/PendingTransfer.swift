internal import Supporting

struct PendingTransfer {
  struct Mark {
    var time: Instant
    var bytes: Int
  }

  let permit: HostPermit.ID
  let origin: Origin
  let url: URLHash
  let turn: PayloadTurn
  let end: Instant
  /// When it began. Moves forward by time in which nothing could arrive through no fault of the host.
  var began: Instant
  var answered: Instant?
  var announced: Int?
  var received = 0
  /// The speed of the body is measured since `marks.old`, one to two windows ago.
  var marks: (old: Mark, new: Mark)?
  /// Whether its host has already been blamed for it.
  var isBlamed = false

  mutating func answer(announcing length: Int?, at now: Instant) {
    guard answered == nil else { return }
    (answered, announced) = (now, length)
    marks = (Mark(time: now, bytes: 0), Mark(time: now, bytes: 0))
  }

  mutating func receive(_ bytes: Int, at now: Instant, _ limits: HostLimits) {
    received = bytes
    guard let marks, now - marks.new.time >= limits.speedWindow else { return }
    self.marks = (marks.new, Mark(time: now, bytes: bytes))
  }

  mutating func discount(_ time: Duration) {
    began += time
    answered = answered.map { $0 + time }
    marks?.old.time += time
    marks?.new.time += time
  }

  func hasSpeed(at now: Instant, _ limits: HostLimits) -> Bool {
    received > 0 && answered.map { now - $0 >= limits.speedWindow } == true
  }

  /// Whether the body would miss `end` at its recent speed or, without a Content-Length, is too
  /// slow. Before the first byte: whether `patience` has passed. A head alone is not an answer.
  func isOverdue(at now: Instant, after patience: Duration, _ limits: HostLimits) -> Bool {
    guard received > 0 else { return now - began >= patience }
    guard hasSpeed(at: now, limits), let marks else { return false }
    let (bytes, time) = (received - marks.old.bytes, now - marks.old.time)
    guard let announced else { return bytes < limits.minimumSpeed * time.milliseconds / 1_000 }
    let left = max(.zero, end - now)
    return announced - received > bytes * left.milliseconds / max(1, time.milliseconds)
  }
}
