internal import COpenSSL

/// Counts what a server sends on a connection. libcurl keeps reading while HTTP/2 frames contain
/// nothing for a transfer: endless SETTINGS would block the whole loop, past every timeout.
@safe struct TLSConnection {
  final class Sums {
    fileprivate(set) var received = 0
    /// Bytes of headers and bodies that were handed out, and of responses that were given up.
    fileprivate(set) var useful = 0
    fileprivate var record = 0
    fileprivate var messages = 0
    /// Bytes of handshake records after the handshake; nil until the handshake has ended.
    fileprivate var afterHandshake: Int?
    fileprivate var isEnded = false
  }

  /// Bytes of a stream that may still arrive after it is given up: libcurl's window.
  private static let window = 32 << 20
  /// The types of a handshake record and of the message that ends a handshake (RFC 8446).
  private static let handshakeRecord: UInt8 = 22, finished: UInt8 = 20
  private static let recordHeader = 5

  private static let place = unsafe CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil) {
    _, sums, _, _, _, _ in
    if let sums = unsafe sums { unsafe Unmanaged<Sums>.fromOpaque(sums).release() }
  }

  private let pointer: OpaquePointer
  let sums: Sums

  init?(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer = OpaquePointer(pointer) else { return nil }
    unsafe self.pointer = pointer
    if let known = unsafe SSL_get_ex_data(pointer, Self.place) {
      sums = unsafe Unmanaged<Sums>.fromOpaque(known).takeUnretainedValue()
    } else {
      sums = Sums()
      unsafe SSL_set_ex_data(pointer, Self.place, Unmanaged.passRetained(sums).toOpaque())
    }
  }

  /// Takes a part of a record. Ends the connection if the server sends too many handshake messages.
  /// Returns the size of the record in bytes if the part is a record header.
  func take(_ bytes: Span<UInt8>) -> Int? {
    if bytes.count == Self.recordHeader, 20...23 ~= bytes[0], bytes[1] == 3 {
      sums.record = Int(bytes[3]) << 8 + Int(bytes[4]) + Self.recordHeader
      sums.received += sums.record
      return sums.record
    }
    if bytes.count == 1, bytes[0] == Self.handshakeRecord {
      // The type inside an encrypted record (RFC 8446 section 5.2).
      sums.afterHandshake? += sums.record
      // Honest tickets have a few hundred bytes. OpenSSL keeps up to 64 KB of each.
      if let count = sums.afterHandshake, count > 16_384 { end() }
    } else if bytes.count >= 4, Int(bytes[1]) << 16 + Int(bytes[2]) << 8 + Int(bytes[3]) == bytes.count - 4 {
      // A message with its header (RFC 8446 section 4). Honest handshakes have ten, and each is
      // work for OpenSSL.
      sums.messages += 1
      if sums.messages > 64 { end() }
      if bytes[0] == Self.finished { sums.afterHandshake = sums.afterHandshake ?? 0 }
    }
    return nil
  }

  func use(_ count: Int) { sums.useful += count }

  /// Gives up a response of which `count` bytes may still arrive. Ends the connection unless it is
  /// HTTP/2, which other transfers may use: libcurl would read on in order to close it.
  func giveUp(_ count: Int?) {
    if isHTTP2 { use(min(count ?? Self.window, Self.window)) } else { end() }
  }

  var isHTTP2: Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    unsafe SSL_get0_alpn_selected(pointer, &name, &length)
    return unsafe UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
  }

  /// Stops all reading, even in the middle of a read, as if the other side had closed.
  func end() {
    sums.isEnded = true
    unsafe SSL_set_shutdown(pointer, SSL_RECEIVED_SHUTDOWN)
  }

  /// Whether the other side has closed properly, with close_notify (RFC 8446 section 6.1).
  var wasClosed: Bool { unsafe SSL_get_shutdown(pointer) & SSL_RECEIVED_SHUTDOWN != 0 && !sums.isEnded }
  var hasPending: Bool { unsafe SSL_has_pending(pointer) == 1 }
}
