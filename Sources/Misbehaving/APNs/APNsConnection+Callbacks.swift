internal import CNghttp2

extension APNsConnection {
  /// Makes a session that calls the functions below. Its user data has to be set before its first byte.
  static func make(_ session: inout OpaquePointer?, opensWindow: Bool) -> Bool {
    var (callbacks, options) = unsafe (OpaquePointer?.none, OpaquePointer?.none)
    guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { return false }
    defer { unsafe nghttp2_session_callbacks_del(callbacks) }
    guard unsafe nghttp2_option_new(&options) == 0 else { return false }
    defer { unsafe nghttp2_option_del(options) }
    if !opensWindow { unsafe nghttp2_option_set_no_auto_window_update(options, 1) }
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    unsafe setCallbacks(callbacks)
    return unsafe nghttp2_session_server_new2(&session, callbacks, nil, options) == 0
  }

  private static func setCallbacks(_ callbacks: OpaquePointer?) {
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, data in
      if let frame = unsafe frame { unsafe APNsConnection.of(data)?.begin(frame.pointee.hd.stream_id) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, count, _, data in
      if let frame = unsafe frame {
        unsafe APNsConnection.of(data)?.request(on: frame.pointee.hd.stream_id)?.take(
          UnsafeRawBufferPointer(start: name, count: nameCount),
          UnsafeRawBufferPointer(start: value, count: count))
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, stream, bytes, count, data in
      if let connection = unsafe APNsConnection.of(data), let request = connection.request(on: stream) {
        request.bodyCount += count
        // Longer bodies are rejected.
        if connection.loop.behaviour.keepsBodies, request.bodyCount <= 5_120 {
          unsafe request.body += UnsafeBufferPointer(start: bytes, count: count)
        }
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      if let frame = unsafe frame { unsafe APNsConnection.of(data)?.take(frame) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame, let loop = unsafe APNsConnection.of(data)?.loop else { return 0 }
      let type = unsafe UInt32(frame.pointee.hd.type)
      if type == NGHTTP2_GOAWAY.rawValue { loop.record { $0.goAways += 1 } }
      if type == NGHTTP2_RST_STREAM.rawValue,
        unsafe frame.pointee.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue
      {
        loop.record { $0.refused += 1 }
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, data in
      unsafe APNsConnection.of(data)?.forget(stream)
      return 0
    }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> APNsConnection? {
    unsafe data.map { unsafe Unmanaged<APNsConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = unsafe frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      guard let request = request(on: header.stream_id) else { return }
      loop.name(request)
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { finish(request) }
    case NGHTTP2_DATA.rawValue where header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0:
      if let request = request(on: header.stream_id) { finish(request) }
    case NGHTTP2_RST_STREAM.rawValue: countReset()
    case NGHTTP2_PING.rawValue: loop.record { $0.pings += 1 }
    default: break
    }
  }
}
