internal import CAres
internal import Glibc

/// The sockets of one name's questions, most often one for each name server.
final class NameSockets {
  /// Of answers over TCP, all together, in bytes. c-ares would take 64 KB at a time, and make megabytes of
  /// them: an alias is 14 bytes there and 2 KB once its names are spelled out. Ninety addresses of each
  /// family stay below it.
  static let maximumAnswers = 4_096

  private let sockets: SocketWatch
  private(set) var open: Set<Int32> = []
  private var received = 0

  init(_ sockets: SocketWatch) { self.sockets = sockets }

  /// Whether an answer was refused for its length.
  var hasRefused: Bool { received > Self.maximumAnswers }

  /// - Parameter writes: neither this nor `reads` where it is about to be closed.
  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
    if reads || writes { open.insert(descriptor) } else { open.remove(descriptor) }
    sockets.watch(descriptor, reads: reads, writes: writes)
  }

  /// Counts what a name server has sent over TCP.
  /// - Returns: whether c-ares may have it.
  private func take(_ count: Int) -> Bool {
    received += count
    return !hasRefused
  }

  /// What c-ares does with its sockets: the same as by itself, but that it takes no more than
  /// `maximumAnswers`. It looks at this for as long as there is a channel. c-ares 1.18 wants all of them or
  /// none. `nonisolated(unsafe)`, because nobody writes to it once it is made.
  nonisolated(unsafe) static let functions = {
    let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
    unsafe functions.initialize(
      to: ares_socket_functions(
        asocket: { family, type, transport, _ in cares_socket(family, type, transport) },
        aclose: { descriptor, _ in close(descriptor) },
        aconnect: { descriptor, address, length, _ in unsafe connect(descriptor, address, length) },
        arecvfrom: { descriptor, bytes, capacity, flags, address, length, sockets in
          let count = unsafe recvfrom(descriptor, bytes, capacity, flags, address, length)
          // With an address it is a datagram, which has 512 bytes at most: c-ares asks who has sent one, and
          // not of a stream.
          guard count > 0, unsafe address == nil, let sockets = unsafe sockets else { return count }
          let owner = unsafe Unmanaged<NameSockets>.fromOpaque(sockets).takeUnretainedValue()
          if owner.take(count) { return count }
          errno = EMSGSIZE
          return -1
        },
        asendv: { descriptor, parts, count, _ in unsafe writev(descriptor, parts, count) }))
    return unsafe UnsafePointer(functions)
  }()
}
