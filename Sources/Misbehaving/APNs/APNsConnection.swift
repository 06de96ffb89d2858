internal import CNghttp2
internal import Supporting

/// A client's connection: HTTP/2 by nghttp2's server side. Only the loop's thread uses it.
@safe final class APNsConnection {
  enum State: Equatable {
    case open
    /// Does not answer the pushes in flight. `deaf` does not read, `mute` drops what it reads, and `quiet` goes on
    /// with HTTP/2.
    case deaf, mute, quiet
    /// Waits until the client closes, but no longer than this.
    case ending(MonotonicTime)
    case ended
  }

  private static let settingsFlag = UInt8(NGHTTP2_FLAG_NONE.rawValue)
  let socket: APNsSocket
  let session: OpaquePointer
  unowned let loop: APNsLoop
  var state = State.open
  /// The requests of open streams.
  var requests: [Int32: APNsRequest] = [:]
  private var current: APNsRequest?
  private var bodies: [Int32: [UInt8]] = [:]
  /// Answers that wait for `answersAfter`.
  private var delayed: [(due: MonotonicTime, request: APNsRequest, reason: APNsReason?)] = []
  private var limit: UInt32
  /// Nil once it has happened.
  var fault: APNsFault?
  var held: [APNsRequest] = []
  var heldSince: MonotonicTime?
  var taken = 0
  /// APNs accepts no more pushes on a connection whose token has expired.
  private var isWedged = false
  private var allowedResets: Double
  private var resetAt: MonotonicTime
  private var outgoing: [UInt8] = []
  private var written = 0
  private(set) var waitsToWrite = false
  private let fields: UnsafeMutablePointer<nghttp2_nv>

  /// - Returns: nil if memory is short.
  init?(_ socket: APNsSocket, fault: APNsFault?, loop: APNsLoop) {
    let behaviour = loop.behaviour
    var made: OpaquePointer?
    var isShut = false
    if case .shutsWindow? = fault?.kind { isShut = true }
    guard unsafe Self.make(&made, opensWindow: !isShut), let session = unsafe made else { return nil }
    unsafe self.session = session
    (self.socket, self.loop, self.fault) = (socket, loop, isShut ? nil : fault)
    limit = behaviour.wantsToken ? behaviour.firstStreams : behaviour.streams
    (allowedResets, resetAt) = (Double(behaviour.resets), loop.now)
    unsafe fields = .allocate(capacity: 2)
    unsafe fields.initialize(repeating: nghttp2_nv(), count: 2)
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    // The settings that APNs sends.
    let settings = [
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 4_096), (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 65_535), (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 16_384),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 8_000),
    ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
    _ = unsafe nghttp2_submit_settings(session, Self.settingsFlag, settings, settings.count)
  }

  deinit {
    unsafe nghttp2_session_del(session)
    unsafe fields.deallocate()
  }

  // MARK: Bytes

  func read(_ buffer: inout [UInt8]) {
    while state != .deaf, state != .ended {
      let outcome = socket.read(into: &buffer)
      if outcome == .ended { return end() }
      guard case .bytes(let count) = outcome else { return }
      if state == .mute { continue }
      if unsafe nghttp2_session_mem_recv(session, buffer, count) < 0 { return end() }
    }
  }

  func flush() {
    while state != .ended {
      if outgoing.count - written == 0 {
        outgoing.removeAll(keepingCapacity: true)
        written = 0
      }
      var frame: UnsafePointer<UInt8>?
      while outgoing.count - written < 16_384 {
        let count = unsafe nghttp2_session_mem_send(session, &frame)
        guard count > 0 else { break }
        unsafe outgoing.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
      }
      guard outgoing.count > written else {
        waitsToWrite = false
        if unsafe nghttp2_session_want_read(session) == 0 { end() }
        return
      }
      let outcome = unsafe outgoing.withUnsafeBytes { bytes in
        unsafe socket.write(
          UnsafeRawBufferPointer(
            rebasing: bytes[written..<min(written + loop.behaviour.recordLength, bytes.count)]))
      }
      switch outcome {
      case .bytes(let count): written += count
      case .later:
        waitsToWrite = true
        return
      case .ended: return end()
      }
    }
  }

  func end(reset: Bool = false) {
    guard state != .ended else { return }
    state = .ended
    if reset { socket.reset() } else { socket.bid() }
  }

  // MARK: Requests

  func begin(_ stream: Int32) {
    let request = APNsRequest(stream: stream)
    requests[stream] = request
    current = request
    let count = requests.count
    loop.record { $0.mostStreams = max($0.mostStreams, count) }
  }

  func request(on stream: Int32) -> APNsRequest? {
    if let current, current.stream == stream { return current }
    current = requests[stream]
    return current
  }

  func forget(_ stream: Int32) {
    if current?.stream == stream { current = nil }
    requests[stream] = nil
    bodies[stream] = nil
  }

  func finish(_ request: APNsRequest) {
    guard let fault, taken >= fault.answered else { return process(request) }
    if held.isEmpty { heldSince = loop.now }
    held.append(request)
  }

  func process(_ request: APNsRequest) {
    taken += 1
    if loop.isUnanswered {
      return loop.record { $0.receive(request, body: request.body) }
    }
    let reason =
      isWedged ? .ExpiredProviderToken : loop.judge(request, hasCertificate: socket.hasCertificate)
    loop.record { $0.receive(request, body: request.body) }
    if loop.behaviour.answersAfter == .zero { return answer(request, reason) }
    delayed.append((loop.now + loop.behaviour.answersAfter, request, reason))
  }

  func answerDelayed() {
    guard let first = delayed.first, first.due <= loop.now else { return }
    let count = delayed.firstIndex { $0.due > loop.now } ?? delayed.count
    for one in delayed[..<count] { answer(one.request, one.reason) }
    delayed.removeFirst(count)
  }

  /// When `answerDelayed` or the fault has something to do.
  var due: MonotonicTime? {
    switch state {
    case .ending(let time): return time
    case .open:
      return [delayed.first?.due, heldSince.map { $0 + .milliseconds(200) }].compactMap(\.self).min()
    case .deaf, .mute, .quiet, .ended: return nil
    }
  }

  private func answer(_ request: APNsRequest, _ reason: APNsReason?) {
    guard requests[request.stream] != nil, submit(request, reason) else { return }
    loop.record { $0.answer(request, reason) }
    if reason == nil { loop.accept(request) }
    if reason == .ExpiredProviderToken { isWedged = true }
    if let reason {
      if reason.isHeldAgainstSender, loop.behaviour.narrows { allow(loop.behaviour.firstStreams) }
    } else {
      allow(loop.behaviour.streams)
    }
  }

  private func allow(_ streams: UInt32) {
    guard streams != limit else { return }
    limit = streams
    var entry = nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: streams)
    _ = unsafe nghttp2_submit_settings(session, Self.settingsFlag, &entry, 1)
  }

  private func submit(_ request: APNsRequest, _ reason: APNsReason?) -> Bool {
    var status = reason.map { String($0.status) } ?? "200"
    var id = request.id
    return status.withUTF8 { status in
      id.withUTF8 { id in
        unsafe fields[0] = Self.field(":status", status)
        unsafe fields[1] = Self.field("apns-id", id)
        guard let reason else {
          return unsafe nghttp2_submit_response(session, request.stream, fields, 2, nil) == 0
        }
        bodies[request.stream] = reason.body(at: loop.seconds)
        var provider = unsafe nghttp2_data_provider()
        unsafe provider.read_callback = { _, stream, buffer, room, flags, _, connection in
          guard let connection = unsafe connection, let buffer = unsafe buffer else { return 0 }
          let body =
            unsafe Unmanaged<APNsConnection>.fromOpaque(connection).takeUnretainedValue().bodies[stream] ?? []
          let count = min(room, body.count)
          for index in 0..<count { unsafe buffer[index] = body[index] }
          unsafe flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
          return count
        }
        return unsafe nghttp2_submit_response(session, request.stream, fields, 2, &provider) == 0
      }
    }
  }

  private static func field(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) -> nghttp2_nv {
    // nghttp2 copies both.
    unsafe nghttp2_nv(
      name: UnsafeMutablePointer(mutating: name.utf8Start),
      value: UnsafeMutablePointer(mutating: value.baseAddress),
      namelen: name.utf8CodeUnitCount, valuelen: value.count, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
  }

  /// Allows a client some resets at once, and then some per second, as servers do since CVE-2023-44487.
  func countReset() {
    let behaviour = loop.behaviour
    let seconds = Double((loop.now - resetAt).microseconds) / 1_000_000
    allowedResets =
      min(Double(behaviour.resets), allowedResets + seconds * Double(behaviour.resetsPerSecond)) - 1
    resetAt = loop.now
    loop.record { $0.resets += 1 }
    if allowedResets < 0 {
      _ = unsafe nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }
  }
}
