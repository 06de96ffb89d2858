internal import Dispatch
internal import Glibc
package import Queueing
internal import Supporting
internal import Synchronization

/// Sends a single push, step by step, and reports each step. Sends nothing twice.
package struct SinglePush: Sendable {
  private let login: APNsURL.Login
  private let target: PushTarget
  private let credentials: Credentials
  private let headers: [Header]
  private let times = PushTimes()

  /// Contacts no server.
  /// - Parameters:
  ///   - headers: the device token, and APNs' request headers.
  ///   - authorities: a PEM file of authorities to trust in addition to the system's.
  /// - Throws: `QueueError.refused` if the key or certificate cannot be used.
  package init(to url: APNsURL, headers: [Header], trusting authorities: String?) throws(QueueError) {
    login = url.login
    target = PushTarget(
      host: url.host, port: url.port, topic: url.topic, connections: 1, rate: nil,
      certificateFile: authorities)
    credentials = try url.credentials()
    self.headers = headers
    _ = try TLSContext(trusting: authorities, credentials)
  }

  /// Explains what is wrong with the headers, whatever the payload is. Nil if nothing is wrong.
  package var fault: String? {
    do throws(Rejection) {
      _ = try request(Array(#"{"aps":{}}"#.utf8))
      return nil
    } catch {
      return ["token-invalid", "header-invalid"].contains(error.reason) ? error.detail : nil
    }
  }

  private func request(_ body: [UInt8]) throws(Rejection) -> PushRequest {
    try PushRequest(Message(body: body, headers: headers), topic: target.topic, now: Int(WallClock.seconds))
  }

  /// - Parameter body: the payload.
  package func send(_ body: [UInt8]) async -> PushStory {
    await DispatchQueue(label: "push-enricher.push").run { [self] in
      var story = PushStory()
      do throws(PushFailure) {
        let request: PushRequest
        do throws(Rejection) { request = try self.request(body) } catch {
          throw PushFailure("it was not sent: \(error.detail)")
        }
        let authorization = try authorization(&story)
        let channel = try connect(&story)
        let push = PushStream(PushBatch([request]), 0)
        push.authorization = authorization
        // The stream refers to the push without retaining it.
        try withExtendedLifetime(push) { () throws(PushFailure) in
          try PushDialogue(channel, target, times).send(push, &story)
        }
        story.end()
      } catch {
        story.end(error.detail)
      }
      return story
    }
  }

  private func authorization(_ story: inout PushStory) throws(PushFailure) -> String? {
    switch (login, credentials) {
    case (.key(let file, let id, let team), .token(let token)):
      story.tell("key", "\(id) of team \(team), in \(file)")
      do throws(QueueError) { return try token.authorization() } catch { throw PushFailure("\(error)") }
    case (.certificate(let file), .certificate(let certificate)):
      story.tell("key", "certificate for \(certificate.topics.joined(separator: ", ")), in \(file)")
    default: break
    }
    return nil
  }

  // MARK: Opening the connection

  private func connect(_ story: inout PushStory) throws(PushFailure) -> TLSChannel {
    let context: TLSContext
    do throws(QueueError) {
      context = try TLSContext(trusting: target.certificateFile, credentials)
    } catch {
      throw PushFailure("\(error)")
    }
    var reason = "it has no address"
    for address in try lookUp(&story) {
      let start = MonotonicTime.now
      switch open(address) {
      case .success(let descriptor):
        story.tell("connect", "\(address.text) port \(target.port)", since: start)
        return try shakeHands(descriptor, context, &story)
      case .failure(let error): reason = error.detail
      }
      story.tell("connect", "\(address.text) port \(target.port): \(reason)", since: start)
    }
    throw PushFailure(
      "\(target.place) cannot be reached (\(reason)): check the address, and that a firewall lets TCP port \(target.port) out"
    )
  }

  private func lookUp(_ story: inout PushStory) throws(PushFailure) -> [SocketAddress] {
    let start = MonotonicTime.now
    let answer = LookupAnswer()
    HostLookup.begin(target) { answer.give($0) }
    switch answer.wait(times.lookup) {
    case .found(let addresses):
      if addresses.first?.text != target.host {
        let names = addresses.map(\.text).joined(separator: ", ")
        story.tell("lookup", "\(target.host) is \(names)", since: start)
      }
      return addresses
    case .failed(let reason):
      throw PushFailure(
        "the host name \(target.host) cannot be looked up (\(reason)): check its spelling and the name servers"
      )
    }
  }

  private func open(_ address: SocketAddress) -> Result<Int32, PushFailure> {
    switch address.beginConnecting() {
    case .failure(let error): return .failure(PushFailure(String(errno: error.code)))
    case .success(let descriptor):
      var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      let isReady = SocketWait.wait(descriptor, for: POLLOUT, until: .now + times.connect)
      if isReady, unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 {
        return .success(descriptor)
      }
      close(descriptor)
      return .failure(PushFailure(isReady ? String(errno: code) : "no answer"))
    }
  }

  private func shakeHands(
    _ descriptor: Int32, _ context: TLSContext, _ story: inout PushStory
  ) throws(PushFailure) -> TLSChannel {
    let start = MonotonicTime.now
    guard let channel = TLSChannel(context, descriptor, host: target.host) else {
      throw PushFailure("there is no memory for a connection")
    }
    while true {
      let waits: Int32
      switch channel.connect() {
      case .done:
        story.tell("TLS", channel.story, since: start)
        return channel
      case .waitsToRead: waits = POLLIN
      case .waitsToWrite: waits = POLLOUT
      case .ended:
        throw PushFailure(
          "\(target.place) closed the connection in the TLS handshake: check that this is the address of APNs"
        )
      case .failed(let reason): throw PushFailure("\(target.place): \(reason)")
      }
      guard SocketWait.wait(descriptor, for: waits, until: start + times.connect) else {
        throw PushFailure(
          "\(target.place) does not answer the TLS handshake: check that this is the address of APNs")
      }
    }
  }
}

/// Why a push was not accepted, and what to do.
struct PushFailure: Error {
  let detail: String
  init(_ detail: String) { self.detail = detail }
}

enum SocketWait {
  /// Returns whether the socket is ready or has failed. See `poll(2)`.
  static func wait(_ descriptor: Int32, for events: Int32, until end: MonotonicTime) -> Bool {
    while true {
      let rest = end - .now
      guard rest > .zero else { return false }
      var interest = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = unsafe poll(&interest, 1, Int32(clamping: rest.milliseconds + 1))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}

/// The result of a lookup, which another thread provides.
private final class LookupAnswer: Sendable {
  private let answer = Mutex(HostLookup.Addresses.failed("no answer"))
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ addresses: HostLookup.Addresses) {
    answer.withLock { $0 = addresses }
    isThere.signal()
  }

  func wait(_ time: Duration) -> HostLookup.Addresses {
    _ = isThere.wait(timeout: .now() + .milliseconds(time.milliseconds))
    return answer.withLock { $0 }
  }
}

extension PushTarget {
  var place: String { "\(host.bracketingIPv6):\(port)" }
}
