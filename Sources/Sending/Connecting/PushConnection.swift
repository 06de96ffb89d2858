internal import Glibc
internal import Queueing
internal import Supporting

/// A connection to APNs, from the lookup of its host to its end. Belongs to the loop's thread.
final class PushConnection {
  /// The most streams that are open at once, whatever the server allows.
  static let maximumStreams = 128
  /// The size of a TLS record, in bytes (RFC 8446 section 5.1).
  private static let recordBytes = 16_384
  /// How many records are read in a turn. An answer is one.
  private static let maximumRecords = 128

  let id: Int
  let target: PushTarget
  let times: PushTimes
  private let sockets: SocketWatch
  private(set) var state = State.resolving
  private(set) var ending: Ending?
  /// Why it ended, and what to do.
  private(set) var detail = ""

  private var context: TLSContext?
  private var addresses: ArraySlice<SocketAddress> = []
  private(set) var address = ""
  private(set) var descriptor: Int32 = -1
  private var channel: TLSChannel?
  private(set) var session: HTTP2Session?
  private(set) var streams: [PushStream] = []

  private var output: [UInt8] = []
  private var written = 0
  private var waitsToWrite = false
  /// Whether the turn ended before all bytes from the socket were handled. `SocketWatch` does not know of them.
  private(set) var hasUnread = false
  /// Whether part of a body still waits for the server's flow-control windows.
  private(set) var isBehind = false
  /// The events that the loop waits for. Remembering them saves a system call per turn.
  private var watched = (reads: false, writes: false)
  /// When the current phase began. Only used before the state `open`.
  private(set) var phaseStart: MonotonicTime
  /// When this connection was created.
  let begin: MonotonicTime
  /// The TLS failure of an address. It says more than that the other addresses cannot be reached.
  private var fault: String?
  private(set) var deadAddresses = 0
  /// When the last frame came or, if later, the first of the open streams was opened.
  private(set) var lastSign: MonotonicTime
  private var frames = 0
  /// When to look for streams without an answer.
  var nextCheck = MonotonicTime.now
  var pingTime: MonotonicTime?
  /// How many pushes in a row got no answer.
  var misses = 0
  /// Whether the server has refused a stream. If so, only one is open at a time until APNs accepts a push.
  var isCareful = false
  /// When APNs last answered a push on this connection. At first, when it was created.
  private(set) var lastAnswer: MonotonicTime
  /// Whether APNs has answered a push on this connection.
  private(set) var isAnswered = false
  /// Whether APNs has accepted a push on this connection.
  private(set) var isProven = false
  /// Whether the tally counts this connection.
  var isCounted = false
  /// The version of the key in the pushes on this connection. Nil before the first push.
  var keyVersion: Int?

  init(id: Int, _ target: PushTarget, _ times: PushTimes, _ sockets: SocketWatch, at now: MonotonicTime) {
    (self.id, self.target, self.times, self.sockets) = (id, target, times, sockets)
    (phaseStart, lastSign, lastAnswer, begin) = (now, now, now, now)
  }

  deinit { if channel == nil, descriptor >= 0 { close(descriptor) } }

  // MARK: Opening

  func connect(to answer: HostLookup.Addresses, with context: TLSContext, at now: MonotonicTime) {
    guard state == .resolving else { return }
    switch answer {
    case .failed(let reason):
      end(
        .failed,
        "the host name \(target.host) cannot be looked up (\(reason)): check its spelling and the name servers"
      )
    case .found(let addresses):
      self.context = context
      self.addresses = addresses[...]
      tryNext(at: now, after: unreachable("it has no address"))
    }
  }

  /// Tries the next address of the host.
  /// - Parameter detail: what happened to the previous address. Reported if that was the last one.
  func tryNext(at now: MonotonicTime, after detail: String) {
    if channel == nil, descriptor >= 0 { close(descriptor) }
    (channel, descriptor) = (nil, -1)
    if !address.isEmpty { deadAddresses += 1 }
    var detail = detail
    while now - begin < times.opening, let next = addresses.popFirst() {
      address = next.text
      switch next.beginConnecting() {
      case .success(let descriptor):
        self.descriptor = descriptor
        watched = (false, false)
        (state, phaseStart) = (.connecting, now)
        return watch(reads: false, writes: true)
      case .failure(let error):
        deadAddresses += 1
        detail = unreachable(String(errno: error.code))
      }
    }
    end(.failed, fault ?? detail)
  }

  private func watch(reads: Bool, writes: Bool) {
    guard watched != (reads, writes) else { return }
    watched = (reads, writes)
    sockets.watch(descriptor, reads: reads, writes: writes)
  }

  private func finishConnecting(at now: MonotonicTime) {
    var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
      return tryNext(at: now, after: unreachable(String(errno: code == 0 ? errno : code)))
    }
    guard let context else { return }
    let socket = descriptor
    guard let channel = TLSChannel(context, socket, host: target.host) else {
      descriptor = -1
      return end(.failed, "there is no memory for a connection")
    }
    self.channel = channel
    (state, phaseStart) = (.handshaking, now)
    shakeHands(at: now)
  }

  private func shakeHands(at now: MonotonicTime) {
    guard let channel else { return }
    switch channel.connect() {
    case .waitsToRead: watch(reads: true, writes: false)
    case .waitsToWrite: watch(reads: false, writes: true)
    case .ended:
      failTLS(
        "\(place) closed the connection in the TLS handshake: check that this is the address of APNs", at: now
      )
    case .failed(let reason): failTLS("\(place): \(reason)", at: now)
    case .done:
      guard let session = HTTP2Session(authority: target.authority, firstStream: target.firstStream) else {
        return end(.failed, "there is no memory for a connection")
      }
      channel.readAhead()
      self.session = session
      (state, lastSign) = (.open, now)
      (addresses, context) = ([], nil)
      watch(reads: true, writes: false)
    }
  }

  func failTLS(_ detail: String, at now: MonotonicTime) {
    fault = fault ?? detail
    tryNext(at: now, after: detail)
  }

  // MARK: Running

  /// Handles a socket that is ready.
  func act(_ buffer: inout [UInt8], at now: MonotonicTime) {
    switch state {
    case .resolving, .closed: break
    case .connecting: finishConnecting(at: now)
    case .handshaking: shakeHands(at: now)
    case .open, .draining:
      receive(&buffer, at: now)
      // Reset before `flush`, so that it tries to write again.
      waitsToWrite = false
    }
  }

  private func receive(_ buffer: inout [UInt8], at now: MonotonicTime) {
    guard let channel, let session else { return }
    // Limits the reads in a turn, so that a flood does not hold up the other connections and the deadlines.
    for _ in 0..<Self.maximumRecords where state != .closed {
      hasUnread = false
      switch channel.read(into: &buffer) {
      case .waitsToRead, .waitsToWrite: break
      case .done(let count):
        if let fault = session.receive(buffer[..<count]) {
          end(.broken, "\(place) broke the rules of HTTP/2 (\(fault))")
        }
        // Otherwise, `SocketWatch` tells when there is more.
        hasUnread = channel.hasUnread
        if hasUnread { continue }
      case .ended: end(.reset, "\(place) closed the connection")
      case .failed(let reason): end(.reset, "the connection to \(place) ended (\(reason))")
      }
      break
    }
    if session.frames != frames { (frames, lastSign, pingTime) = (session.frames, now, nil) }
  }

  func open(_ push: PushStream, at now: MonotonicTime) -> Bool {
    guard let session, session.open(push) else {
      drain(.replaced, "the connection to \(place) has no stream ids any more")
      return false
    }
    if streams.isEmpty { lastSign = max(lastSign, now) }
    (push.place, push.start) = (streams.count, now)
    streams.append(push)
    return true
  }

  /// Removes a push whose stream is closed.
  func remove(_ push: PushStream) {
    guard streams.indices.contains(push.place), streams[push.place] === push else { return }
    session?.forget(push)
    let last = streams.removeLast()
    guard last !== push else { return }
    streams[push.place] = last
    last.place = push.place
  }

  func takeStreams() -> [PushStream] {
    defer { streams = [] }
    return streams
  }

  /// Returns whether it is the first answer on this connection.
  func noteAnswer(accepted: Bool, at now: MonotonicTime) -> Bool {
    defer { isAnswered = true }
    (misses, lastAnswer) = (0, now)
    if accepted { (isProven, isCareful) = (true, false) }
    return !isAnswered
  }

  /// Frames the rest of a body that did not fit into the server's flow-control windows. Call it before new
  /// pushes are opened: nghttp2 frames new streams first, so the rest would wait as long as new ones come.
  func frameRest() {
    guard let session, state == .open || state == .draining else { return }
    if session.unsent > 0, let fault = session.frame(into: &output, atLeast: written + Self.recordBytes) {
      return end(.broken, "nothing can be sent to \(place) (\(fault))")
    }
    isBehind = session.unsent > 0
  }

  /// Writes the waiting frames. Call it at the end of each turn.
  func flush() {
    guard let channel, let session, state == .open || state == .draining, !waitsToWrite else { return }
    while true {
      // Writes full records, because each write is a system call.
      if output.count - written < Self.recordBytes {
        output.removeFirst(written)
        written = 0
        if let fault = session.frame(into: &output, atLeast: Self.recordBytes) {
          return end(.broken, "nothing can be sent to \(place) (\(fault))")
        }
        guard !output.isEmpty else { break }
      }
      switch channel.write(output[written...]) {
      case .done(let count): written += count
      case .waitsToRead: return
      case .waitsToWrite:
        waitsToWrite = true
        return watch(reads: true, writes: true)
      case .ended: return end(.reset, "\(place) closed the connection")
      case .failed(let reason): return end(.reset, "the connection to \(place) ended (\(reason))")
      }
    }
    watch(reads: true, writes: false)
    guard !session.isAlive else { return }
    if let fault = session.fault {
      end(.broken, "\(place) broke the rules of HTTP/2 (\(fault))")
    } else {
      end(ending ?? .reset, detail.isEmpty ? "\(place) ended the connection" : detail)
    }
  }

  // MARK: Ending

  /// Opens no more streams. The connection ends when the last one is closed.
  func drain(_ ending: Ending, _ detail: String) {
    guard state == .open else { return }
    (state, self.ending, self.detail) = (.draining, ending, detail)
  }

  func end(_ ending: Ending, _ detail: String) {
    guard state != .closed else { return }
    if self.ending == nil { self.ending = ending }
    if self.detail.isEmpty || state != .draining { self.detail = detail }
    state = .closed
    if ending == .replaced || ending == .goAway, let channel, let session {
      session.end()
      output.removeAll()
      if session.frame(into: &output, atLeast: 1_024) == nil { _ = channel.write(output[...]) }
      channel.finish()
    }
    if channel == nil, descriptor >= 0 { close(descriptor) }
    (channel, descriptor) = (nil, -1)
  }
}
