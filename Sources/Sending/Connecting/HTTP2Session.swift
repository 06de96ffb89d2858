internal import CNghttp2
internal import Queueing
internal import Supporting

/// The HTTP/2 of a connection (RFC 9113), based on nghttp2. Turns bytes into frames and frames into
/// bytes. Respects the server's limits, and answers its SETTINGS and PING.
@safe final class HTTP2Session {
  /// Something that came from the server. Events are kept in order.
  enum Event {
    case settings
    /// A stream ended, with the code of its RST_STREAM, or 0.
    case closed(PushStream, code: UInt32)
    /// The server accepts no more streams. Right after this event, nghttp2 closes the streams that
    /// the server does not process, with REFUSED_STREAM.
    case goAway(code: UInt32, debugData: [UInt8])
  }

  /// Limit for the JSON, in bytes. The debug data of GOAWAY may be as long as a frame.
  static let maximumDebugData = 1_024

  private let session: OpaquePointer
  fileprivate(set) var events: [Event] = []
  /// How many frames have arrived.
  fileprivate(set) var frames = 0
  /// How the server broke the rules, or nil. After that, nghttp2 ends the connection.
  fileprivate(set) var fault: String?
  /// Bytes of bodies that wait for the server's flow-control windows.
  fileprivate(set) var unsent = 0
  private var fields: RequestFields

  /// - Parameter firstStream: an odd number; nil means 1.
  /// - Returns: nil if memory is short.
  init?(authority: String, firstStream: Int32? = nil) {
    fields = RequestFields(authority: authority)
    var made: OpaquePointer?
    guard unsafe Self.make(&made), let session = unsafe made else { return nil }
    unsafe self.session = session
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    if let firstStream { _ = unsafe nghttp2_session_set_next_stream_id(session, firstStream) }
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
    ]
    guard unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, 1) == 0 else {
      return nil
    }
  }

  deinit { unsafe nghttp2_session_del(session) }

  private static func make(_ session: inout OpaquePointer?) -> Bool {
    var (callbacks, options) = unsafe (OpaquePointer?.none, OpaquePointer?.none)
    guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { return false }
    defer { unsafe nghttp2_session_callbacks_del(callbacks) }
    guard unsafe nghttp2_option_new(&options) == 0 else { return false }
    defer { unsafe nghttp2_option_del(options) }
    unsafe setCallbacks(callbacks)
    // APNs takes one stream until its SETTINGS arrive.
    unsafe nghttp2_option_set_peer_max_concurrent_streams(options, 1)
    // Otherwise, nghttp2 would keep closed streams for their priorities, which are not used.
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    return unsafe nghttp2_session_client_new2(&session, callbacks, nil, options) == 0
  }

  /// How many streams the server allows at once.
  var allowed: Int {
    Int(unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// How many bytes of bodies may still be sent, after those that are already waiting.
  var room: Int { Int(unsafe nghttp2_session_get_remote_window_size(session)) - unsent }

  /// Whether there are frames to send, or the server may send more.
  var isAlive: Bool {
    unsafe nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0
  }

  /// Returns the events and forgets them.
  func takeEvents() -> [Event] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  /// Opens a stream. The push must live until its `.closed`.
  /// - Returns: false if there are no stream ids left.
  func open(_ push: PushStream) -> Bool {
    fields.set(push.request, authorization: push.authorization)
    push.id = submit(push)
    guard push.id > 0 else { return false }
    fields.areFirst = false
    unsent += push.request.body.count
    return true
  }

  private func submit(_ push: PushStream) -> Int32 {
    let owner = unsafe Unmanaged.passUnretained(push).toOpaque()
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.source.ptr = unsafe owner
    unsafe provider.read_callback = { _, _, buffer, room, flags, source, session in
      guard let buffer = unsafe buffer, let flags = unsafe flags, let owner = unsafe source?.pointee.ptr
      else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      let push = unsafe Unmanaged<PushStream>.fromOpaque(owner).takeUnretainedValue()
      let count = min(room, push.request.body.count - push.sent)
      unsafe push.request.body.withUnsafeBytes { body in
        guard count > 0, let start = body.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(buffer).copyMemory(from: start + push.sent, byteCount: count)
      }
      push.sent += count
      unsafe HTTP2Session.of(session).unsent -= count
      if push.sent == push.request.body.count { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
    return unsafe fields.withFields {
      unsafe nghttp2_submit_request(session, nil, $0.baseAddress, $0.count, &provider, owner)
    }
  }

  /// Tells the server that nobody waits for the answer any more.
  func cancel(_ push: PushStream) {
    _ = unsafe nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), push.id, NGHTTP2_CANCEL.rawValue)
  }

  /// Forgets a push that is no longer in a stream.
  func forget(_ push: PushStream) { unsent -= push.request.body.count - push.sent }

  func ping() { _ = unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

  func end() { _ = unsafe nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue) }

  /// Reads bytes from the server. Returns what is wrong with them, or nil.
  func receive(_ bytes: ArraySlice<UInt8>) -> String? {
    let count = unsafe bytes.withUnsafeBufferPointer {
      unsafe nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
    }
    return count < 0 ? unsafe String(cString: nghttp2_strerror(Int32(clamping: count))) : nil
  }

  /// Appends frames to `output` until it has at least `count` bytes. Returns what went wrong, or nil.
  func frame(into output: inout [UInt8], atLeast count: Int) -> String? {
    while output.count < count {
      var piece = unsafe UnsafePointer<UInt8>?.none
      let length = unsafe nghttp2_session_mem_send(session, &piece)
      if length < 0 { return unsafe String(cString: nghttp2_strerror(Int32(clamping: length))) }
      if length == 0 { break }
      unsafe output += UnsafeBufferPointer(start: piece, count: length)
    }
    return nil
  }

  fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Session {
    // Set by `init`. nghttp2 calls back only during calls on the session, and this object outlives them.
    unsafe Unmanaged<HTTP2Session>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }
}

extension HTTP2Session {
  fileprivate static func setCallbacks(_ callbacks: OpaquePointer?) {
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
      guard let frame = unsafe frame else { return 0 }
      unsafe HTTP2Session.of(owner).note(frame.pointee)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, _, code, owner in
      unsafe HTTP2Session.of(owner).fault = String(cString: nghttp2_strerror(code))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { session, frame, _ in
      guard let frame = unsafe frame,
        UInt32(unsafe frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue
      else { return 0 }
      unsafe HTTP2Session.push(session, frame.pointee.hd.stream_id)?.isOpened = true
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      session, frame, name, nameCount, value, count, _, _ in
      guard let frame = unsafe frame, let push = unsafe HTTP2Session.push(session, frame.pointee.hd.stream_id)
      else {
        return 0
      }
      let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
      if unsafe name.elementsEqual(":status".utf8) {
        // nghttp2 has checked that the status has three digits.
        push.status = unsafe UnsafeBufferPointer(start: value, count: count).reduce(0) {
          $0 * 10 + Int($1 & 15)
        }
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      session, _, id, bytes, count, _ in
      guard let push = unsafe HTTP2Session.push(session, id) else { return 0 }
      let room = max(0, PushAnswer.maximumBody - push.answer.count)
      unsafe push.answer += UnsafeBufferPointer(start: bytes, count: min(room, count))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, id, code, owner in
      guard let push = unsafe HTTP2Session.push(session, id) else { return 0 }
      unsafe HTTP2Session.of(owner).events.append(.closed(push, code: code))
      return 0
    }
  }

  private static func push(_ session: OpaquePointer?, _ id: Int32) -> PushStream? {
    // Set by `submit`. The connection keeps the push until it has handled the event `.closed`.
    unsafe nghttp2_session_get_stream_user_data(session, id).map {
      unsafe Unmanaged<PushStream>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private func note(_ frame: nghttp2_frame) {
    frames += 1
    switch UInt32(unsafe frame.hd.type) {
    case NGHTTP2_SETTINGS.rawValue:
      if UInt32(unsafe frame.hd.flags) & NGHTTP2_FLAG_ACK.rawValue == 0 { events.append(.settings) }
    case NGHTTP2_GOAWAY.rawValue:
      let data = unsafe UnsafeBufferPointer(
        start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
      events.append(
        .goAway(
          code: unsafe frame.goaway.error_code, debugData: unsafe Array(data.prefix(Self.maximumDebugData))))
    default: break
    }
  }
}
