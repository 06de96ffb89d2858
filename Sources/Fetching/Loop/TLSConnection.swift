internal import COpenSSL

/// A connection with TLS, which keeps sums for as long as it lasts: what has come in over it, what of that
/// was of use, and how many messages of its handshake have.
///
/// Several transfers may share one of HTTP/2, whose frames libcurl shows to none of them. Nor does it come
/// back from reading as long as there is nothing in them for a transfer: whoever sends SETTINGS without end
/// would hold the whole loop, past every timeout.
@safe struct TLSConnection {
  /// What a stream may still have on its way when it is given up, in bytes: the window that libcurl opens for
  /// each.
  static let window = 32 << 20

  /// Messages of a handshake that a server may send (RFC 8446 section 4): some ten before the first answer,
  /// and a few tickets. Each has OpenSSL compute, and reading does not come back between them.
  private static let maximumMessages = 64

  /// Bytes of records with messages after a handshake. OpenSSL keeps each ticket, of up to 64 KB, and the
  /// beginning of each message; sensible tickets take a few hundred bytes.
  private static let maximumBytesAfterHandshake = 16_384

  private static let receivedPlace = openssl_new_place()
  private static let usefulPlace = openssl_new_place()
  private static let messagesPlace = openssl_new_place()
  private static let recordPlace = openssl_new_place()
  private static let afterHandshakePlace = openssl_new_place()
  private static let endPlace = openssl_new_place()
  /// The type of the message that ends a handshake (RFC 8446 section 4).
  private static let finished: UInt8 = 20
  /// Before each record (RFC 8446 section 5.1), in bytes.
  private static let recordHeader = 5

  private let pointer: OpaquePointer

  /// - Parameter pointer: an `SSL`; nothing comes of NULL.
  init?(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer = OpaquePointer(pointer) else { return nil }
    unsafe self.pointer = pointer
  }

  /// Bytes of the records that have come in.
  var received: Int { number(at: Self.receivedPlace) }

  /// Bytes of headers and bodies that came out, and of what was not wanted any more.
  var useful: Int { number(at: Self.usefulPlace) }

  /// Counts a record of `count` bytes.
  func receive(_ count: Int) {
    set(received + count, at: Self.receivedPlace)
    set(count, at: Self.recordPlace)
  }

  func use(_ count: Int) { set(useful + count, at: Self.usefulPlace) }

  /// Counts a message of a handshake, and ends the connection of who sends too many.
  func receiveMessage(_ type: UInt8) {
    let messages = number(at: Self.messagesPlace) + 1
    set(messages, at: Self.messagesPlace)
    if messages > Self.maximumMessages { end() }
    // From now on there is something to count to.
    if type == Self.finished {
      set(max(1, number(at: Self.afterHandshakePlace)), at: Self.afterHandshakePlace)
    }
  }

  /// What the record has that was counted last is of a handshake. Ends the connection of who sends too much
  /// of that after the handshake.
  func receiveHandshakeRecord() {
    let before = number(at: Self.afterHandshakePlace)
    guard before > 0 else { return }
    let bytes = before + number(at: Self.recordPlace)
    set(bytes, at: Self.afterHandshakePlace)
    if bytes > Self.maximumBytesAfterHandshake { end() }
  }

  /// A body is given up of which `count` bytes are still to come, as far as that is known. What comes over a
  /// connection that is nobody else's is of no use any more: libcurl reads from it once again when it closes
  /// it.
  func giveUp(_ count: Int?) {
    if isHTTP2 { use(min(count ?? Self.window, Self.window)) } else { end() }
  }

  /// Whether both are the same.
  func isSame(as other: TLSConnection) -> Bool { unsafe pointer == other.pointer }

  /// Whether HTTP/2 was agreed upon.
  var isHTTP2: Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    unsafe SSL_get0_alpn_selected(pointer, &name, &length)
    guard let name = unsafe name, length == 2 else { return false }
    return unsafe name[0] == UInt8(ascii: "h") && name[1] == UInt8(ascii: "2")
  }

  /// Nothing is read any more, also by whoever is in the middle of it: as if the other side had closed.
  func end() {
    set(1, at: Self.endPlace)
    unsafe SSL_set_shutdown(pointer, SSL_RECEIVED_SHUTDOWN)
  }

  /// Whether the other side has closed in good order, by close_notify (RFC 8446 section 6.1).
  var wasClosed: Bool {
    unsafe SSL_get_shutdown(pointer) & SSL_RECEIVED_SHUTDOWN != 0 && number(at: Self.endPlace) == 0
  }

  /// Whether something of it was read from the socket and not from here.
  var hasPending: Bool { unsafe SSL_has_pending(pointer) == 1 }

  /// Bytes of the record that begins, with its header; nil where `bytes` are no record header.
  static func recordSize(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count == recordHeader, 20...23 ~= bytes[0], bytes[1] == 3 else { return nil }
    return Int(bytes[3]) << 8 + Int(bytes[4]) + recordHeader
  }

  /// Whether `bytes` are the type that is inside of a record (RFC 8446 section 5.2), that of a handshake.
  static func isHandshake(_ bytes: Span<UInt8>) -> Bool { bytes.count == 1 && bytes[0] == 22 }

  /// The type of the message of a handshake that `bytes` are, with its header (RFC 8446 section 4); nil where
  /// they are a part of a record.
  static func messageType(_ bytes: Span<UInt8>) -> UInt8? {
    guard bytes.count >= 4 else { return nil }
    return Int(bytes[1]) << 16 + Int(bytes[2]) << 8 + Int(bytes[3]) == bytes.count - 4 ? bytes[0] : nil
  }

  private func number(at place: Int32) -> Int {
    Int(bitPattern: unsafe SSL_get_ex_data(pointer, place))
  }

  private func set(_ number: Int, at place: Int32) {
    unsafe SSL_set_ex_data(pointer, place, UnsafeMutableRawPointer(bitPattern: number))
  }
}
