internal import CLinux
internal import Glibc
internal import Supporting

/// The mock's thread. It waits for sockets with epoll(7), and owns everything that is not in the ledger.
@safe final class APNsLoop {
  let behaviour: APNsBehaviour
  private let listener, stop, epoll: Int32
  private let tls: TLSServerContext?
  private let mock: MockAPNs
  private var tokens: APNsTokens
  private var scripted = 0
  private var accepted = 0
  private var made = 0
  private var judged = 0
  private var connections: [Int32: APNsConnection] = [:]
  private var watched: [Int32: UInt32] = [:]
  /// The time at the beginning of this turn.
  private(set) var now = MonotonicTime.now
  private(set) var seconds = Int(WallClock.seconds)

  init(_ mock: MockAPNs, listener: Int32, stop: Int32, epoll: Int32, tls: TLSServerContext?) {
    (self.mock, self.listener, self.stop, self.epoll, self.tls) = (mock, listener, stop, epoll, tls)
    behaviour = mock.behaviour
    tokens = APNsTokens(mock.key, mock.behaviour)
    watch(listener, EPOLLIN.rawValue)
    watch(stop, EPOLLIN.rawValue)
  }

  deinit {
    close(listener)
    close(epoll)
  }

  func accept(_ request: APNsRequest) { mock.accept(request) }
  func record(_ change: (inout APNsLedger) -> Void) { mock.record(change) }

  func name(_ request: APNsRequest) {
    if request.end(number: made + 1) { return }
    made += 1
  }

  /// Whether a push gets no answer.
  var isUnanswered: Bool {
    judged += 1
    return behaviour.unanswered > 0 && judged % behaviour.unanswered == 0
  }

  func judge(_ request: APNsRequest, hasCertificate: Bool) -> APNsReason? {
    let count = tokens.count
    if let reason = request.check(behaviour, &tokens, hasCertificate: hasCertificate, at: seconds) {
      return reason
    }
    if tokens.count != count { record { $0.tokens += 1 } }
    if scripted == behaviour.script.count, behaviour.repeatsScript { scripted = 0 }
    guard scripted < behaviour.script.count else { return nil }
    scripted += 1
    return behaviour.script[scripted - 1]
  }

  /// Returns when `stop` is readable.
  func run() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var ready = unsafe [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let count = unsafe epoll_wait(epoll, &ready, Int32(ready.count), wait)
      (now, seconds) = (.now, Int(WallClock.seconds))
      for index in 0..<Int(max(0, count)) {
        let (descriptor, events) = unsafe (ready[index].data.fd, ready[index].events)
        if descriptor == stop { return }
        if descriptor == listener {
          accept()
        } else if let connection = connections[descriptor] {
          connection.read(&buffer)
          // The client is gone.
          if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { connection.end() }
        }
      }
      for connection in connections.values { act(connection) }
    }
  }

  private func act(_ connection: APNsConnection) {
    connection.tripIfDue()
    switch connection.state {
    case .open, .ending, .quiet:
      connection.answerDelayed()
      connection.flush()
      if case .ending(let time) = connection.state, time <= now { connection.end() }
    case .deaf, .mute, .ended: break
    }
    let descriptor = connection.socket.descriptor
    if connection.state == .ended {
      connections[descriptor] = nil
      watched[descriptor] = nil
      record { $0.openConnections -= 1 }
    } else {
      let reads = connection.state == .deaf ? 0 : EPOLLIN.rawValue
      watch(descriptor, reads | (connection.waitsToWrite ? EPOLLOUT.rawValue : 0))
    }
  }

  private var wait: Int32 {
    guard let due = connections.values.compactMap(\.due).min() else { return -1 }
    return Int32(clamping: max(0, (due - MonotonicTime.now).microseconds + 999) / 1_000)
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var one: Int32 = 1
      _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
      guard let socket = APNsSocket(descriptor, tls: tls) else {
        close(descriptor)
        continue
      }
      accepted += 1
      let fault = behaviour.fault.flatMap { accepted <= $0.connections ? $0 : nil }
      guard let connection = APNsConnection(socket, fault: fault, loop: self) else { continue }
      connections[descriptor] = connection
      record { ($0.connections, $0.openConnections) = ($0.connections + 1, $0.openConnections + 1) }
    }
  }

  private func watch(_ descriptor: Int32, _ events: UInt32) {
    guard watched[descriptor] != events else { return }
    var event = unsafe epoll_event()
    unsafe event.events = events
    unsafe event.data.fd = descriptor
    _ = unsafe epoll_ctl(
      epoll, watched[descriptor] == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
    watched[descriptor] = events
  }
}
