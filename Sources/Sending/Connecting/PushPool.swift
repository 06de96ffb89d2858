internal import Queueing
internal import Supporting

/// All connections to one host with one key or certificate, and the pushes on their way. Belongs to
/// the loop's thread. Only one push to each device is in flight at a time.
final class PushPool {
  let target: PushTarget
  let credentials: Credentials
  let times: PushTimes
  let tally: SendingTally
  let sockets: SocketWatch
  private let inbox: PushInbox

  var connections: [PushConnection] = []
  private var made = 0
  var line = PushLine()
  /// Pushes that wait for another one to their device. A device has an entry while a push is under way.
  var devices: [String: [PushStream]] = [:]
  var backoffs = DeviceBackoffs()
  private var pause: ConnectPause
  /// The pause after APNs has put off many pushes in a row.
  var calm: ConnectPause
  var laterInARow = 0
  private var pacer: Pacer?
  /// The last values noted in the tally.
  private var streams = (open: 0, allowed: 0)
  private var context: TLSContext?
  /// Why the last connection could not be opened.
  private var connectFault: String?
  /// Since when pushes have been waiting although connections are open.
  private var fullSince: MonotonicTime?
  /// When the last answer came or, if later, the first of the waiting pushes.
  var lastAnswer = MonotonicTime.now
  /// Why APNs takes no push with these credentials, and when to try again.
  var refusal: (detail: String, authorization: String?, end: MonotonicTime)?
  /// Whether only one push at a time is sent. Set after a refusal, until APNs answers differently.
  var isTrying = false
  /// Whether the tally shows a fault although pushes are still sent.
  var hasFault = false
  /// Topics to which APNs takes no push with these credentials.
  var topics = TopicHolds()
  /// The version of the key with which APNs has accepted a push. Nil before, and after it refused the key.
  var acceptedKey: Int?
  /// When the pushes in flight are given back. Set when the process is told to stop.
  var stopEnd: MonotonicTime?
  /// How many addresses of the host could not be reached since the last success.
  private var deadAddresses = 0

  init(
    _ target: PushTarget, _ credentials: Credentials, _ times: PushTimes, _ tally: SendingTally,
    _ sockets: SocketWatch, _ inbox: PushInbox
  ) {
    (self.target, self.credentials, self.times, self.tally) = (target, credentials, times, tally)
    (self.sockets, self.inbox) = (sockets, inbox)
    (pause, calm) = (ConnectPause(times), ConnectPause(times))
    pacer = target.rate.map(Pacer.init)
  }

  func add(_ batch: PushBatch, at now: MonotonicTime) {
    if line.isEmpty { lastAnswer = max(lastAnswer, now) }
    for index in batch.requests.indices { add(PushStream(batch, index), at: now) }
    if batch.isCancelled { cancel(batch, at: now) }
  }

  private func add(_ push: PushStream, at now: MonotonicTime) {
    if let rejection = push.expiry {
      push.finish(.result(.rejected(rejection)))
    } else if let rest = backoffs.rest(of: push.request.device, at: now) {
      let detail = "an earlier push to the device was put off: this one follows it"
      push.finish(.result(.unavailable(detail, after: rest)))
    } else if var waiting = devices.updateValue([], forKey: push.request.device) {
      waiting.append(push)
      devices[push.request.device] = waiting
    } else {
      line.append(push)
    }
  }

  /// Ends a push, and queues the next one to its device.
  func finish(_ push: PushStream, _ outcome: PushOutcome) {
    push.finish(outcome)
    let device = push.request.device
    guard var waiting = devices.removeValue(forKey: device), !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    devices[device] = waiting
    // Added at the end, so that one device does not hold up the others.
    line.append(next)
  }

  /// Ends a push that is to be sent later, and those that wait for it, because they would overtake it.
  func putOff(_ push: PushStream, _ outcome: PushOutcome) {
    for other in devices.updateValue([], forKey: push.request.device) ?? [] { other.finish(outcome) }
    finish(push, outcome)
  }

  /// Sends a push again as soon as there is a stream.
  func sendAgain(_ push: PushStream) {
    push.reset()
    tally.note { $0.repeated += 1 }
    line.prepend(push)
  }

  /// Ends all chosen pushes that are not in a stream.
  func giveBack(_ outcome: PushOutcome, where isChosen: (PushStream) -> Bool = { _ in true }) {
    // Starts with those that wait for another push: ending that would put them into the line.
    for (device, waiting) in devices where !waiting.isEmpty {
      devices[device] = waiting.filter { !isChosen($0) }
      for push in waiting where isChosen(push) { push.finish(outcome) }
    }
    for push in line.take(isChosen) { finish(push, outcome) }
  }

  /// Whether there is something to do before the next wait.
  var hasMore: Bool {
    connections.contains { $0.state == .closed || $0.hasUnread || $0.session?.events.isEmpty == false }
  }

  // MARK: Turns

  /// Handles events and deadlines. Then sends as much as there is room for.
  func act(at now: MonotonicTime) {
    for connection in connections {
      connection.check(at: now)
      for event in connection.session?.takeEvents() ?? [] { take(event, on: connection, at: now) }
    }
    for connection in connections where connection.state == .closed { bury(connection, at: now) }
    connections.removeAll { $0.state == .closed }
    for connection in connections { connection.frameRest() }
    if !isStopping(at: now) { dispatch(at: now) }
    for connection in connections { connection.flush() }
    noteStreams()
    if !line.isEmpty, now - lastAnswer > times.stall, connections.allSatisfy({ !$0.isOpening }) {
      lastAnswer = now
      for connection in connections where connection.state == .open && connection.streams.isEmpty {
        connection.end(.silent, "\(target.host) allows no push on the connection")
      }
      giveBack(.result(.unavailable("\(target.host) has answered no push for \(times.stall)", after: nil)))
    }
  }

  private func noteStreams() {
    for connection in connections where connection.session != nil && !connection.isCounted {
      connection.isCounted = true
      tally.note { $0.connectionsOpened += 1 }
    }
    let open = connections.reduce(0) { $0 + $1.streams.count }
    let allowed = connections.reduce(0) { $0 + $1.allowed }
    guard streams != (open, allowed) else { return }
    streams = (open, allowed)
    tally.note { ($0.streamsOpen, $0.streamsAllowed) = (open, allowed) }
  }

  private func bury(_ connection: PushConnection, at now: MonotonicTime) {
    let (ending, detail) = (connection.ending ?? .reset, connection.detail)
    tally.note { $0.connectionsClosed[ending.rawValue, default: 0] += 1 }
    for push in connection.takeStreams() { takeLost(push, detail, at: now) }
    // If a connection ended before it was of any use, the next one must not follow at once.
    guard ending == .failed || !connection.isAnswered && ending != .replaced else { return }
    pause.fail(at: now)
    deadAddresses += connection.deadAddresses
    connectFault = detail
    if !connections.contains(where: { $0.state == .open || $0.isOpening }) { giveBackUnreachable() }
  }

  private func giveBackUnreachable() {
    // Names no time to wait, because that would put aside the messages of each device.
    giveBack(.result(.unavailable(connectFault ?? "\(target.host) cannot be reached", after: nil)))
  }

  private func dispatch(at now: MonotonicTime) {
    guard !line.isEmpty else { return fullSince = nil }
    if let refusal {
      let current = try? authorization().text
      guard now >= refusal.end || current != refusal.authorization else {
        return giveBack(.credentials(refusal.detail))
      }
      (self.refusal, isTrying) = (nil, true)
    }
    if let end = calm.end, end > now {
      return giveBack(.result(.unavailable("\(target.host) wants all pushes later", after: nil)))
    }
    let key: (text: String?, version: Int)
    do throws(QueueError) { key = try authorization() } catch {
      return refuse("\(error)", at: now)
    }
    for connection in connections where connection.keyVersion != nil && connection.keyVersion != key.version {
      connection.drain(.replaced, "the key has changed")
    }
    var rooms = connections.map(\.room)
    while let push = line.first {
      if let pacer, pacer.due(at: now) != nil { return }
      if isTrying, connections.contains(where: { !$0.streams.isEmpty }) { return }
      guard let place = rooms.indices.max(by: { rooms[$0] < rooms[$1] }), rooms[place] > 0 else {
        return open(at: now)
      }
      let connection = connections[place]
      line.removeFirst()
      if let rejection = push.expiry {
        finish(push, .result(.rejected(rejection)))
        continue
      }
      if let hold = topics.hold(on: push.request.topic, key.text, at: now, pause: times.credentials) {
        putOff(push, forbidden(hold.detail, for: hold.rest, key.version))
        continue
      }
      push.authorization = key.text
      connection.keyVersion = key.version
      let isOpen = connection.open(push, at: now)
      rooms[place] = connection.room
      guard isOpen else {
        line.prepend(push)
        continue
      }
      pacer?.note(at: now)
    }
    fullSince = nil
  }

  /// The authorization header, or nil with a certificate, and a number that changes with the key.
  func authorization() throws(QueueError) -> (text: String?, version: Int) {
    guard case .token(let token) = credentials else { return (nil, 0) }
    return (try token.authorization(), token.keyVersion)
  }

  /// Opens the first connection at once. Opens another one if all have been full for a while.
  private func open(at now: MonotonicTime) {
    guard !connections.contains(where: \.isOpening) else { return }
    let open = connections.filter { $0.state == .open }
    if let end = pause.end, end > now {
      if open.isEmpty { giveBackUnreachable() }
      return
    }
    if !open.isEmpty {
      // APNs allows a single stream on each connection until it has accepted a push.
      guard open.count < target.connections, !isTrying, open.allSatisfy({ $0.isProven }) else { return }
      let since = fullSince ?? now
      fullSince = since
      guard now - since >= times.spread else { return }
      fullSince = nil
    }
    begin(at: now)
  }

  private func begin(at now: MonotonicTime) {
    made += 1
    let connection = PushConnection(id: made, target, times, sockets, at: now)
    connections.append(connection)
    let (id, inbox) = (made, inbox)
    HostLookup.begin(target) { inbox.send(.resolved(id, $0)) }
  }

  func take(_ addresses: HostLookup.Addresses, for id: Int, at now: MonotonicTime) {
    guard let connection = connections.first(where: { $0.id == id }) else { return }
    do throws(QueueError) {
      // The certificate file may have been replaced.
      if case .certificate = credentials { context = nil }
      let context: TLSContext
      if let made = self.context {
        context = made
      } else {
        context = try TLSContext(trusting: target.certificateFile, credentials)
      }
      self.context = context
      // Starts after the addresses that failed, because the lookup may return them first each time.
      connection.connect(to: addresses.rotated(by: deadAddresses), with: context, at: now)
    } catch {
      connection.end(.failed, "\(error)")
    }
  }

  /// Called when a connection gets its first answer.
  func noteSuccess() {
    pause.succeed()
    (connectFault, deadAddresses) = (nil, 0)
  }

  /// When to act even if nothing happens. Nil if nothing is waited for.
  func due(at now: MonotonicTime) -> MonotonicTime? {
    if connections.isEmpty, line.isEmpty { return nil }
    let isIdle = line.isEmpty && connections.allSatisfy { $0.state == .open && $0.streams.isEmpty }
    let tick = now + (isIdle ? min(times.idle, times.ping) : min(.milliseconds(250), times.ping / 4))
    guard !line.isEmpty else { return tick }
    let due = pacer?.due(at: now).map { min($0, tick) } ?? tick
    return fullSince.map { min($0 + times.spread, due) } ?? due
  }

  func close() {
    for connection in connections {
      connection.end(.replaced, "")
      for push in connection.takeStreams() {
        finish(push, .result(.unavailable("its target was closed", after: nil)))
      }
    }
    giveBack(.result(.unavailable("the push is not sent: its target was closed", after: nil)))
  }
}
